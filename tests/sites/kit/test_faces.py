"""Faces stand beside names: each person has one of their own, and none of them says anything."""

import re

import pytest
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
