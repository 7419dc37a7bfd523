"""Texts of records with and without copies."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe):
    rows = recipe["main"](["--toy"])
    assert [row["model"] for row in rows] == ["copying", "generating"]
    assert rows[0]["nats_per_text"] < rows[1]["nats_per_text"]
    assert all(0 <= row["exact"] <= 100 for row in rows)


def test_fields_of_a_card(recipe):
    line = (
        "Dust Devil NAME_END 3 ATK_END 1 DEF_END 2 COST_END -1 DUR_END Minion TYPE_END Shaman PLAYER_CLS_END NIL "
        "RACE_END Common RARITY_END <b>Windfury</b>"
    )
    found = recipe["record"](line)
    assert found["identifier"] == "DustDevil"
    assert (found["attack"], found["health"], found["cost"]) == ("3", "1", "2")
    assert (found["rarity"], found["text"]) == ("Common", "<b>Windfury</b>")
