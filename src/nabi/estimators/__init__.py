"""scikit-learn's estimators on nabi's kernel: the same parameters and results, in less time.

They need scikit-learn (`pip install 'nabi[sklearn]'`), which `import nabi` alone does not load.
"""

from nabi.estimators.count_vectorizer import CountVectorizer
from nabi.estimators.hashing_vectorizer import HashingVectorizer

__all__ = ["CountVectorizer", "HashingVectorizer"]
