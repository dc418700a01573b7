"""Studies, simulations, the catalogue, pictures."""

import numpy as np
import pytest

import experior


@pytest.fixture(scope="module")
def table2(tmp_path_factory):
    return experior.study("table2", scale="smoke", directory=tmp_path_factory.mktemp("study"), runs=True)


def test_a_study_gives_rows_beside_the_papers(table2):
    pandas = pytest.importorskip("pandas")
    frame = table2.to_frame()
    assert isinstance(frame, pandas.DataFrame) and {"agent", "mean", "se", "paper_mean"} <= set(frame.columns)
    assert len(frame) == len(table2.rows) > 10 and len(table2.values_frame()) > 0
    assert "<table>" in table2._repr_html_() and table2.text in repr(table2)


def test_a_study_goes_on_where_it_was_stopped(tmp_path):
    class Stop(Exception):
        pass

    def stop(done, total):
        if done > 0:
            raise Stop

    with pytest.raises(Stop):
        experior.study("table1", scale="smoke", directory=tmp_path, progress=stop)
    whole = experior.study("table1", scale="smoke", directory=tmp_path, report=tmp_path / "report")
    assert whole.rows and (tmp_path / "report" / "table1.csv").exists()
    with pytest.raises(experior.InputError):
        experior.study("no_such", directory=tmp_path)
    with pytest.raises(experior.InputError):
        experior.study("table1", scale="huge", directory=tmp_path)


def test_simulations_are_frames_too():
    pytest.importorskip("pandas")
    result = experior.simulate("bernoulli_bandit:arms=4", ["naive_ts", "experior_maxent"], problems=2, tasks=8,
                               episodes=50)
    assert list(result.to_frame()["agent"]) == result.agents and result.returns_frame().shape == (50, 2)
    assert result.rows[1]["regret"] < result.rows[0]["regret"] and "<table>" in result._repr_html_()
    again = experior.simulate("bernoulli_bandit:arms=4", ["naive_ts", "experior_maxent"], problems=2, tasks=8,
                              episodes=50, threads=1)
    assert np.array_equal(again.returns, result.returns)
    for bad in ({"env": "nowhere"}, {"agents": []}, {"agents": ["nobody"]}, {"episodes": 0}, {"env": 3}):
        words = {"env": "bernoulli_bandit", "agents": ["naive_ts"], "episodes": 5, **bad}
        with pytest.raises(experior.InputError):
            experior.simulate(**words)


def test_the_catalogue_lists_what_specs_are_made_of():
    assert "experior_maxent" in [one["name"] for one in experior.catalogue("agents")]
    assert "table2" in [one["name"] for one in experior.catalogue("studies")]
    with pytest.raises(experior.InputError):
        experior.catalogue("wishes")


def test_pictures_are_drawn(table2, model, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from experior import plot

    figure3a = experior.study("figure3a", scale="smoke", directory=tmp_path)
    result = experior.simulate("bernoulli_bandit:arms=4", ["naive_ts", "experior_maxent"], problems=1, tasks=4,
                               episodes=20)
    session = experior.Session(model)
    drawn = [plot.study(figure3a), plot.rows(table2), plot.returns(result, window=5), plot.belief(session),
             plot.prior(model.inspect(tasks=5, episodes=5)), plot.curves({"a": np.arange(12.0).reshape(3, 4)})]
    assert all(ax.has_data() for ax in drawn)
    assert len(drawn[3].patches) == 4 and len(drawn[4].lines) == 4
    with pytest.raises(experior.InputError):
        plot.study(figure3a, panel="none")
    with pytest.raises(experior.InputError):
        plot.returns(result, window=0)
