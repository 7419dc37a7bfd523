from firth import plots
from firth.plots.picture import Curve


def test_bands_from_rare_to_frequent(runs):
    bands = runs.stability()[::-1]
    picture = plots.neighbour_stability(runs)
    overlap, stable = (mark for mark in picture.marks if isinstance(mark, Curve))
    assert overlap.xy.tolist() == [[i, band.overlap] for i, band in enumerate(bands)]
    assert stable.xy.tolist() == [[i, band.stable] for i, band in enumerate(bands)]
    assert [text for _, text in picture.x.ticks] == [f"{band.least}–{band.most}" for band in bands]
    assert picture.rows == [band._asdict() for band in bands]
