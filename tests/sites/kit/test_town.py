"""All corners of a town are connected and apart from each other, and its routes are the shortest."""

from itertools import combinations, pairwise
from math import dist

import pytest

from stressweb.sites.kit.data.town import HEIGHT, METRES, WIDTH, Town, town

SEEDS = range(30)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_corner_is_reached_by_road(seed: int) -> None:
    drawn_town = town(seed)
    reached, queue = {(0, 0)}, [(0, 0)]
    while queue:
        new_corners = drawn_town.roads[queue.pop()] - reached
        reached |= new_corners
        queue += new_corners
    assert reached == drawn_town.corners.keys()


@pytest.mark.parametrize("seed", SEEDS)
def test_corners_stay_apart_within_the_map_and_have_addresses_of_their_own(seed: int) -> None:
    corners = town(seed).corners.values()
    # On a map 340 pixels wide, 80 units are 27 pixels: pins of 24 do not cover each other.
    assert min(dist((a.x, a.y), (b.x, b.y)) for a, b in combinations(corners, 2)) > 80
    assert all(14 <= corner.x <= WIDTH - 14 and 14 <= corner.y <= HEIGHT - 14 for corner in corners)
    assert len({corner.address for corner in corners}) == len(corners)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_way_follows_roads_and_no_other_is_shorter(seed: int) -> None:
    drawn_town = town(seed)
    for start, end in (((0, 0), (8, 6)), ((8, 0), (0, 6)), ((4, 3), (4, 4)), ((2, 5), (7, 1))):
        way = drawn_town.way(start, end)
        assert (way[0], way[-1]) == (start, end)
        assert all(there in drawn_town.roads[here] for here, there in pairwise(way))
        length = sum(dist(drawn_town.point(here), drawn_town.point(there)) for here, there in pairwise(way))
        assert drawn_town.metres(start, end) == round(length * METRES / 100) * 100
        # From no corner on the route does another road lead to the end by a shorter route.
        assert all(
            dist(drawn_town.point(start), drawn_town.point(there)) + drawn_town.ways[there][end][0] >= length - 1e-6
            for there in drawn_town.roads[start]
        )


def test_the_river_is_crossed_by_bridges_alone() -> None:
    for seed in SEEDS:
        drawn_town = town(seed)
        assert 2 <= len(bridges(drawn_town)) <= 3, seed


def bridges(drawn_town: Town) -> set[frozenset[tuple[int, int]]]:
    """Return the roads from one side of the river to the other."""
    axis = 0 if drawn_town.banks[0][1] < 0 else 1
    beyond = {
        cell for cell in drawn_town.corners if drawn_town.point(cell)[axis] > drawn_town.banks[cell[1 - axis] + 1][axis]
    }
    return {frozenset((here, there)) for here in beyond for there in drawn_town.roads[here] - beyond}


def test_a_town_follows_its_seed() -> None:
    assert town(3) is town(3)
    assert len({tuple(town(seed).districts) for seed in SEEDS}) == len(SEEDS)
    assert len({town(seed).river for seed in SEEDS}) >= 10
