"""Many people at three real servers; the whole: tests/many_people.py."""

import many_people
import pytest


@pytest.mark.filterwarnings("ignore")  # scikit-learn's, of pairs that said one class alone
def test_no_text_is_given_twice_and_kappa_is_that_of_scikit_learn(database):
    twice, _ = many_people.run(database, 150, 6, 0.2)
    assert 24 <= twice <= 36
