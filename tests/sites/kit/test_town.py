"""A town can be driven through from everywhere, its corners stay apart, and its ways are the shortest."""

from itertools import combinations, pairwise
from math import dist

import pytest

from sites.kit.data.town import HEIGHT, METRES, WIDTH, Town, town

SEEDS = range(30)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_corner_is_reached_by_road(seed: int) -> None:
    made = town(seed)
    reached, queue = {(0, 0)}, [(0, 0)]
    while queue:
        found = made.roads[queue.pop()] - reached
        reached |= found
        queue += found
    assert reached == made.corners.keys()


@pytest.mark.parametrize("seed", SEEDS)
def test_corners_stay_apart_within_the_map_and_have_addresses_of_their_own(seed: int) -> None:
    corners = town(seed).corners.values()
    # On a map 340 pixels wide, 80 units are 27 pixels: pins of 24 do not cover each other.
    assert min(dist((a.x, a.y), (b.x, b.y)) for a, b in combinations(corners, 2)) > 80
    assert all(14 <= one.x <= WIDTH - 14 and 14 <= one.y <= HEIGHT - 14 for one in corners)
    assert len({one.address for one in corners}) == len(corners)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_way_follows_roads_and_no_other_is_shorter(seed: int) -> None:
    made = town(seed)
    for start, end in (((0, 0), (8, 6)), ((8, 0), (0, 6)), ((4, 3), (4, 4)), ((2, 5), (7, 1))):
        way = made.way(start, end)
        assert (way[0], way[-1]) == (start, end)
        assert all(there in made.roads[here] for here, there in pairwise(way))
        length = sum(dist(made.point(here), made.point(there)) for here, there in pairwise(way))
        assert made.metres(start, end) == round(length * METRES / 100) * 100
        # No road out of a corner on the way leads to the end on a shorter way.
        assert all(
            dist(made.point(start), made.point(there)) + made.ways[there][end][0] >= length - 1e-6
            for there in made.roads[start]
        )


def test_the_river_is_crossed_by_bridges_alone() -> None:
    for seed in SEEDS:
        made = town(seed)
        assert 2 <= len(bridges(made)) <= 3, seed


def bridges(made: Town) -> set[frozenset[tuple[int, int]]]:
    """Return the roads from one side of the river to the other."""
    axis = 0 if made.banks[0][1] < 0 else 1
    beyond = {cell for cell in made.corners if made.point(cell)[axis] > made.banks[cell[1 - axis] + 1][axis]}
    return {frozenset((here, there)) for here in beyond for there in made.roads[here] - beyond}


def test_a_town_follows_its_seed() -> None:
    assert town(3) is town(3)
    assert len({tuple(town(seed).districts) for seed in SEEDS}) == len(SEEDS)
    assert len({town(seed).river for seed in SEEDS}) >= 10
