"""What users of pandas give: missing values, categories, counts, wrong columns, generators, dates."""

import numpy as np
import pytest

import experior

pd = pytest.importorskip("pandas")


def refused(part, *given, **more):
    with pytest.raises(experior.InputError) as said:
        experior.Model.fit(*given, **more)
    assert part in str(said.value), said.value
    assert "--" not in str(said.value)  # Python's words, not the command line's


def test_missing_values_are_refused_wherever_they_come_from():
    for choices in (["A", "B", float("nan"), "A"], ["A", None, "B"], np.array(["A", None, "B"], dtype=object),
                    pd.Series(["A", np.nan, "B"]), pd.Series(["A", pd.NA, "B"], dtype="string"),
                    pd.Series(["A", None, "B"]).astype("category"), pd.to_datetime(["2020-01-01", None, "2020-01-02"])):
        refused("missing values", choices)
    refused("NaN", pd.array([1, 2, None], dtype="Int64"))
    refused("missing values", ["A", "B"], by=pd.Series(["x", None]))


def test_categories_are_the_arms_also_those_that_nobody_chose():
    chosen = pd.Categorical(["A", "B", "A"], categories=["none", "B", "A"])
    for choices in (chosen, pd.Series(chosen)):
        model = experior.Model.fit(choices)
        assert model.actions == ("none", "B", "A")
        assert model.law()[2] > model.law()[1] > model.law()[0]


def test_whole_numbers_of_any_type_are_the_labels():
    for choices in (pd.Series([10, 20, 10, 30]), pd.Series([10, 20, 10, 30], dtype="Int64"),
                    pd.Series([10.0, 20.0, 10.0, 30.0]), (number for number in (10, 20, 10, 30)),
                    pd.Series([10, 20, 10, 30]).astype("category")):
        model = experior.Model.fit(choices)
        assert model.actions == (10, 20, 30)
        session = experior.Session(model, seed=1)
        session.observe(np.int64(20), True)
        assert isinstance(session.act(), int)
    assert experior.Model.fit(np.array([True, False, True])).actions == (0, 1)


def test_what_is_no_list_of_choices_is_refused_in_words_of_python():
    refused("a dict", {"A": 3, "B": 2})
    refused("a set", {"A", "B"})
    refused("value_counts", pd.Series(["A", "B", "A"]).value_counts())
    refused("are 3", 3)
    counted = pd.Series(["A", "B", "A"], name="drug").value_counts().reset_index()
    assert np.allclose(experior.Model.fit(counted, action="drug", count="count").law(),
                       experior.Model.fit(["A", "B", "A"]).law())


def test_columns_are_named_by_action_and_by():
    table = pd.DataFrame({"drug": ["A", "B", "A", "B"] * 5, "age": ["old", "young"] * 10})
    refused("no column 'action', only ['drug', 'age']; action= names", table)
    refused("no column 'agee'", table, action="drug", by="agee")
    refused("one column", table, action="drug", by=["age", "drug"])
    refused("the choices are no table", ["A", "B"], by="age")
    refused("no column 'action'", table[["drug"]])
    assert experior.Model.fit(table[["drug"]], action="drug").actions == ("A", "B")
    assert sorted(experior.Model.fit(table, action="drug", by="age").segments) == ["old", "young"]
    dates = pd.DataFrame({"action": pd.to_datetime(["2020-01-01", "2020-01-02"] * 3)})
    refused("dates or times", dates)


def test_rewards_of_a_series_are_taken_by_position():
    model = experior.Model.fit(["A", "B", "A"])
    one, other = experior.Session(model, seed=1), experior.Session(model, seed=1)
    one.observe_batch(pd.Series(["A", "B"], index=[7, 3]), pd.Series([1, 0], index=[3, 7]))
    other.observe_batch(["A", "B"], [1, 0])
    assert np.array_equal(one.law(), other.law())
