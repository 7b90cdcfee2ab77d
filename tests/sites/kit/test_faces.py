"""Faces stand beside names: each person has one of their own, and none of them says anything."""

import re

import pytest
from faker.providers.person.en_US import Provider
from lxml import etree

from stressweb.sites.kit.look import faces
from tests.support.crawling import site, visitor


def test_people_have_faces_of_their_own_and_keep_them() -> None:
    names = sorted({person.name for person in site("network", 3).entities["Person"]})
    drawings = {faces.drawing(_key(name)) for name in names}
    assert len(drawings) == len(names)
    assert faces.address(names[0]) == faces.address(names[0])
    assert all(faces.is_person(name) for name in names)


def test_a_company_has_a_sign() -> None:
    companies = [company.name for company in site("network", 3).entities["Company"]]
    assert not any(faces.is_person(name) for name in companies)
    assert len({faces.drawing(_key(name)) for name in companies}) == len(companies)


def test_a_drawing_is_whole_and_has_no_text() -> None:
    for name in [
        *(person.name for person in site("mail", 4).entities["Person"]),
        "Alder Roofing",
        "news@trail.example",
    ]:
        drawing = etree.fromstring(faces.drawing(_key(name)))
        tags = {etree.QName(element).localname for element in drawing.iter()}
        assert tags <= {"svg", "rect", "path", "ellipse"}, name
        assert "nan" not in etree.tostring(drawing).decode()
        assert not re.search(name.partition(" ")[0], faces.address(name), re.IGNORECASE)


@pytest.mark.parametrize("seed", range(25))
def test_a_face_fits_the_first_name(seed: int) -> None:
    people = [person.name for person in site("mail", seed).entities["Person"]]
    people += [driver.name for driver in site("ride", seed).entities["Driver"]]
    features = {name: _features(name) for name in people}
    women = [name for name in people if name.partition(" ")[0] not in Provider.first_names_male]
    men = [name for name in people if name.partition(" ")[0] not in Provider.first_names_female]
    assert len(women) > 20
    assert len(men) > 20
    assert [name for name in women if features[name] & {"beard", "short hair", "bald"}] == []
    assert any("beard" in features[name] for name in men)
    # Names such as Robin, which Faker lists with one of both, have hair that both may have.
    either = {name for name in people if name.partition(" ")[0] in faces.NAMES_OF_BOTH}
    assert [name for name in {*men} - either if "long hair" in features[name]] == []
    assert [name for name in either if features[name] & {"beard", "bald"}] == []


def test_names_in_a_row_have_the_face_of_the_first() -> None:
    assert faces.address("Sarah Lane, Tom Hale") == faces.address("Sarah Lane") != faces.address("Tom Hale")


@pytest.mark.parametrize(
    ("name", "path"), [("network", "/"), ("network", "/connections"), ("mail", "/"), ("mail", "/contacts")]
)
def test_a_page_shows_faces_that_are_hidden_from_who_does_not_see(name: str, path: str) -> None:
    walker = visitor(name, 3)
    walker.get(path)
    pictures = walker.page.xpath("//img[contains(@class, 'kit-face')]")
    assert len({picture.get("src") for picture in pictures}) > 3
    for picture in pictures:
        assert picture.get("alt") == ""
        assert picture.get("itemprop") is None
        assert not picture.xpath("ancestor::a | ancestor::button | ancestor::label")
    answer = walker.fetch(pictures[0].get("src"))
    assert answer.status_code == 200
    assert answer.text == faces.drawing(pictures[0].get("src").rpartition("/")[2].removesuffix(".svg"))


def test_an_address_of_no_face_is_not_found() -> None:
    walker = visitor("network", 3)
    for key in ("f12", "x0123456789abcdef", "f0123456789abcdeg"):
        assert walker.fetch(f"/faces/{key}.svg").status_code == 404


def _key(name: str) -> str:
    return faces.address(name).removeprefix("/faces/").removesuffix(".svg")


def _features(name: str) -> set[str]:
    """Return what the drawing of a face shows, by its outlines."""
    outlines = {path.get("d") for path in etree.fromstring(faces.drawing(_key(name))).iter("{*}path")}
    shapes = {
        "beard": [faces.BEARD],
        "bald": [faces.BALD_HEAD[1]],
        "short hair": [front for _, front in faces.SHORT_HAIR if " o " not in front],
        "long hair": [behind for behind, _ in faces.LONG_HAIR if " o " not in behind],
    }
    return {
        feature
        for feature, sketches in shapes.items()
        if any({part.strip().removeprefix("h ") for part in sketch.split(";")} <= outlines for sketch in sketches)
    }
