"""Label texts by keys, as a person does: nothing is lost, all can be undone."""

import contextlib
import csv

from visiting import HAM, SPAM, TEXTS, Serving


def test_thirty_keys_five_undone_reload_resume_export_and_import(serving, visit, tmp_path):
    one = visit(serving.fill())
    done = one.label(30)
    for _ in range(5):
        one.page.keyboard.press("Backspace")
    assert one.text() == done[25]
    one.saved()
    assert serving.labels() == {text: "spam" if "prize" in text else "ham" for text in done[:25]}
    one.page.reload()
    assert set(one.label(5)) & set(done[:25]) == set()
    one.saved()
    assert len(serving.labels()) == 30
    one.go("out")
    with one.page.expect_download() as download:
        one.page.get_by_role("link", name="labels.csv").click()
    path = tmp_path / "labels.csv"
    download.value.save_as(path)
    with open(path, encoding="utf-8-sig", newline="") as file:
        assert {row["text"]: row["label"] for row in csv.DictReader(file)} == serving.labels()
    with contextlib.closing(Serving(tmp_path / "other")) as other:
        imported(visit(other, view="setup"), path, 30)
        assert other.labels() == serving.labels()


def imported(visit, path, number):
    """Load a file with labels, in the set-up."""
    visit.page.fill("#label-column", "label")
    visit.page.set_input_files("#file", path)
    visit.page.wait_for_selector(f".good-note:has-text('Added {number}')")


def test_labels_of_a_file_are_learned(serving, visit, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("text,label\na prize,spam\nlunch,ham\ntwo prizes,spam\n")
    imported(visit(serving.fill(), view="setup"), path, 3)
    assert serving.labels() == {"a prize": "spam", "lunch": "ham", "two prizes": "spam"}


def test_the_page_asks_which_column_holds_the_texts(serving, visit, tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text("subject,body\nfree,you have won\nlunch,at noon\n")
    one = visit(serving.fill(texts=["one"]), view="setup")
    one.page.set_input_files("#file", path)
    one.page.select_option("#which-column", "body")
    one.expect("422")
    one.page.locator(".told .primary").click()
    one.page.wait_for_selector(".good-note:has-text('Added 2')")


def test_two_browsers_at_once_get_different_texts_and_see_each_other(serving, visit):
    one, two = visit(serving.fill()), visit(serving)
    mine, others = one.label(6), two.label(6)
    assert set(mine) & set(others) == set()
    one.saved()
    two.saved()
    shown = "() => document.querySelector('.progress strong')?.textContent === '12'"
    one.page.wait_for_function(shown)
    two.page.wait_for_function(shown)


def test_the_label_of_another_comes_without_being_asked_for_again(serving, visit):
    one, two = visit(serving.fill()), visit(serving)
    asked, news = [], lambda response: "/changes" in response.url
    two.page.on("request", lambda request: asked.append(request.url))
    with two.page.expect_response(news) as told:
        one.label(1)
    two.page.wait_for_function(
        "() => document.querySelector('.progress strong')?.textContent === '1'"
    )
    assert [one["label"] for one in told.value.json()["labels"]] == list(serving.labels().values())
    assert told.value.request.url not in asked  # the answer to what was asked before the key


def test_a_label_is_ticked_when_it_is_on_disk(serving, visit):
    one = visit(serving.fill())
    (text,) = one.label()
    one.page.wait_for_selector(".tick-saved")
    assert list(serving.labels()) == [text]
    assert one.page.locator("#live").inner_text() in ("spam, saved.", "ham, saved.")


def test_nothing_is_lost_when_the_server_is_killed(serving, visit):
    one = visit(serving.fill())
    done = one.label(3)
    one.saved()
    serving.kill()
    done += one.label(2)
    one.page.wait_for_selector("#connection:has-text('does not answer')")
    serving.start()
    one.saved()
    one.page.wait_for_selector("#connection:empty", state="attached")
    assert sorted(serving.labels()) == sorted(done)


def test_nothing_is_lost_when_the_tab_is_closed_before_the_server_has_it(serving, visit):
    one = visit(serving.fill())
    done = one.label(2)
    one.saved()
    serving.kill()
    done += one.label(3)
    one.page.close()
    serving.start()
    one.page = one.opened()
    one.saved()
    assert sorted(serving.labels()) == sorted(done)


def test_the_page_says_that_the_server_is_gone_and_goes_on_when_it_is_back(serving, visit):
    one = visit(serving.fill())
    one.page.wait_for_selector("#card .words")
    serving.kill()
    one.page.wait_for_selector("#connection:has-text('does not answer')")
    done = one.label(6)  # all that was fetched ahead
    one.page.wait_for_selector("#card:has-text('when the server is back')")
    serving.start()
    done += one.label(4)
    one.saved()
    assert sorted(serving.labels()) == sorted(done)


def test_keys_for_one_data_directory_are_not_sent_to_another(serving, visit, tmp_path):
    one = visit(serving.fill())
    one.page.wait_for_selector("#card .words")
    serving.kill()
    done = one.label(1)
    one.page.close()
    own, serving.data = serving.data, tmp_path / "other"
    serving.start()
    one.token = serving.token
    one.opened("examples").close()
    assert serving.labels() == {}
    serving.kill()
    serving.data = own
    serving.start()
    one.token = serving.token
    one.page = one.opened()
    one.saved()
    assert list(serving.labels()) == done


def test_nothing_is_lost_offline(serving, visit):
    one = visit(serving.fill())
    one.label(1)
    one.saved()
    one.context.set_offline(True)
    done = one.label(3)
    one.page.wait_for_selector("#connection:has-text('does not answer')")
    one.page.keyboard.press("Backspace")
    assert one.text() == done[2]
    one.context.set_offline(False)
    one.saved()
    assert len(serving.labels()) == 3


def test_undo_goes_back_beyond_what_this_page_knows(serving, visit):
    one = visit(serving.fill())
    done = one.label(2)
    one.saved()
    one.page.reload()
    one.page.wait_for_selector("#card .words")
    for text in reversed(done):
        one.page.keyboard.press("Backspace")
        one.page.wait_for_function(
            "text => document.querySelector('#card .words').textContent === text", arg=text
        )
    one.saved()
    assert serving.labels() == {}


def test_skipped_texts_do_not_come_back_but_by_undo(serving, visit):
    one = visit(serving.fill(texts=[SPAM, HAM, "the third"]))
    first = one.text()
    one.page.keyboard.press("Space")
    one.saved()
    one.page.reload()
    one.page.wait_for_selector("#card .words")
    seen = [one.text()]
    one.page.keyboard.press("Space")
    seen.append(one.text())
    assert first not in seen
    one.page.keyboard.press("Backspace")
    assert one.text() == seen[0]


def test_the_guess_on_a_random_check_is_hidden_until_the_key(serving, visit):
    one = visit(serving.fill())
    for _ in range(25):
        one.page.wait_for_selector("#card .words")
        if (
            one.page.locator(".why.audit").count()
            and one.page.locator(".guess:has-text('hidden')").count()
        ):
            break
        one.label()
    assert one.page.locator("#card mark").count() == 0
    one.label()
    assert "the guess was" in one.page.locator(".last").inner_text()


def test_texts_are_loaded_pasted_and_classes_named_in_the_page(serving, visit):
    one = visit(serving)
    assert one.page.locator("main").get_attribute("data-view") == "setup"
    names = one.page.locator(".class-name")
    names.nth(0).fill("spam")
    names.nth(1).fill("ham")
    one.page.get_by_role("button", name="Save").first.click()
    one.page.wait_for_selector(".good-note:has-text('2 classes')")
    one.page.fill("#paste", "\n".join(TEXTS[:6]))
    one.page.get_by_role("button", name="Add these texts").click()
    one.page.wait_for_selector(".good-note:has-text('Added 6')")
    one.page.locator("main .primary[href='#label']").click()
    assert one.label(1)[0] in TEXTS


def test_nabi_label_opens_with_the_first_text_of_a_file(tmp_path, visit):
    path = tmp_path / "texts.csv"
    path.write_text("text\n" + "".join(f'"{text}"\n' for text in TEXTS))
    command = ("label", str(path), "--classes", "spam,ham", "--no-open")
    with contextlib.closing(Serving(tmp_path / "data", *command)) as serving:
        one = visit(serving)
        assert one.page.locator("main").get_attribute("data-view") == "label"
        assert set(one.label(3)) <= set(TEXTS)
        one.saved()
        assert len(serving.labels()) == 3


def shows(visit, text):
    """Wait until this text waits for a label."""
    shown = "text => document.querySelector('#card .words')?.textContent === text"
    visit.page.wait_for_function(shown, arg=text)


def test_undo_takes_back_the_change_of_this_tab_whatever_another_tab_did(serving, visit, anna):
    one, two = visit(serving.fill(), token=anna), visit(serving, token=anna)
    (first,), (second,) = one.label(), two.label()
    one.saved()
    two.saved()
    one.page.keyboard.press("Backspace")
    shows(one, first)
    one.saved()
    assert list(serving.labels()) == [second]


def test_an_undone_text_stays_though_its_label_is_told_late(serving, visit):
    one, first, answers, told = visit(serving.fill()), [], [], "**/changes?*"

    def held(route):
        if first:
            return route.continue_()
        first.append(route)
        return answers.append(route.fetch(timeout=0))

    one.page.route(told, held)
    one.page.reload()
    one.page.select_option("#ask-by", "search")
    one.page.fill("#ask-search", "prize")
    one.page.keyboard.press("Enter")
    one.page.wait_for_selector(".why.search")
    one.page.locator("#card").focus()
    (text,) = one.label()
    while not answers:
        one.saved()
    one.page.keyboard.press("Backspace")
    shows(one, text)
    with one.page.expect_request(told):  # the next one: the answer was taken in
        first[0].fulfill(response=answers[0])
    assert one.text() == text
    assert one.page.locator("#notes p").count() == 0


def test_undo_leaves_what_another_person_has_relabelled_since(serving, visit, anna):
    one = visit(serving.fill(), token=anna)
    (text,) = one.label(right=lambda text: "1")
    one.saved()
    (example,) = serving.ask("GET", "/examples")[1]["examples"]
    relabelled = {"examples": [{"id": example["id"], "label": "ham"}]}
    assert serving.ask("POST", "/relabel", relabelled)[0] == 200
    one.page.keyboard.press("Backspace")
    one.page.wait_for_selector("#notes p:has-text('owner')")
    one.expect(409)
    assert serving.labels() == {text: "ham"}
    one.page.wait_for_function(
        "text => document.querySelector('#card .words').textContent !== text", arg=text
    )
