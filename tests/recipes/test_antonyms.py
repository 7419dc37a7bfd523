"""The recipe at toy size: what is planted is told apart, the controls are at chance, and lists teach unlisted pairs."""

import json

import pytest


@pytest.fixture(scope="module")
def rows(recipe, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIRTH_CACHE", str(folder))
        flags = {"results": "a.jsonl", "table": "a.md", "picture": "a.svg"}
        found = recipe["main"](
            ["--toy", *(each for name, file in flags.items() for each in (f"--{name}", str(folder / file)))]
        )
    assert "one word" in (folder / "a.svg").read_text(encoding="utf-8")
    written = [json.loads(line) for line in (folder / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert written == found
    assert (folder / "a.md").read_text(encoding="utf-8") == recipe["table"](found)
    return found


def figure(rows, name, **told):
    some = [row[name][0] for row in rows if all(row.get(key) == value for key, value in told.items())]
    assert some, told
    return sum(some) / len(some)


@pytest.mark.parametrize("split", ["published", "unseen pairs", "disjoint words"])
def test_the_classifier_and_its_controls(rows, split):
    """Antonyms differ along one direction, and "either X or Y" holds them three times as often; each word stands in a
    pair of either kind, so that one word is chance: 60 pairs, one standard deviation 0.06."""
    assert figure(rows, "accuracy", split=split, by="all") > 0.9
    assert abs(figure(rows, "accuracy", split=split, by="one word") - 0.5) < 0.2
    assert abs(figure(rows, "accuracy", split=split, by="all, labels shuffled") - 0.5) < 0.2
    assert figure(rows, "recall", split=split, by="antonyms to all") == 1


def test_every_split_is_judged_as_often(rows):
    counted = [row["split"] for row in rows if row.get("by") == "all"]
    assert counted == ["published", "unseen pairs", *["disjoint words"] * 3]


def test_lists_put_antonyms_behind_synonyms(rows):
    plain = figure(rows, "average_precision", table="rank", space="as they are")
    assert figure(rows, "average_precision", table="rank", space="lists without tested pairs") > plain + 0.05


def test_a_cell_of_the_table(recipe):
    """Means of 50 and 60, 40 and 50, 60 and 70; the standard deviation of 50 and 60 is 7.07."""
    assert recipe["_cell"]([[0.5, 0.4, 0.6], [0.6, 0.5, 0.7]]) == "55.0 ± 7.1 (45-65)"
    assert recipe["_cell"]([[0.3, 0.3, 0.3]]) == "30.0"
