"""Motifs of the pictures of files, one for each kind."""

from collections.abc import Mapping

from stressweb.sites.kit.look.pictures import Motif, sketch

MOTIFS: Mapping[str, Motif] = {
    "kind_document": sketch(
        "w r 54 30 132 172 6; i r 72 54 70 9 3; s r 72 80 96 6 3; s r 72 96 96 6 3; s r 72 112 84 6 3; "
        "s r 72 136 96 6 3; s r 72 152 96 6 3; s r 72 168 58 6 3"
    ),
    "kind_spreadsheet": sketch(
        "w r 30 44 180 150 6; i r 30 44 180 24 6; s/3 M30 94H210M30 120H210M30 146H210M30 172H210; "
        "s/3 M84 68V192M130 68V192M172 68V192; l r 90 126 36 16 2; l r 136 152 32 16 2; l r 176 100 30 16 2"
    ),
    "kind_presentation": sketch(
        "i/7 M120 160L86 204M120 160L154 204; w r 26 40 188 122 6; i r 44 56 96 11 3; l r 48 110 24 36 2; "
        "i r 80 92 24 54 2; l r 112 102 24 44 2; y o 176 116 26 26"
    ),
    "kind_pdf": sketch(
        "w r 54 30 132 172 6; r r 54 54 132 34 0; s r 72 104 96 6 3; s r 72 120 96 6 3; s r 72 136 78 6 3; "
        "s r 72 160 96 6 3; s r 72 176 50 6 3"
    ),
    "kind_picture": sketch(
        "w r 24 42 192 154 8; l r 36 54 168 130 3; y o 162 88 16 16; "
        "G M36 184L92 104L134 152L160 126L204 184Z; g M36 184L74 144L118 184Z"
    ),
    "kind_audio": sketch(
        "i/9 M36 108V132M56 88V152M76 100V140M96 62V178M116 84V156M136 48V192; "
        "i/9 M156 92V148M176 72V168M196 104V136M214 112V128"
    ),
    "kind_video": sketch("d r 22 56 196 128 10; s r 22 176 196 8 3; r r 22 176 82 8 3; w M100 88L150 118L100 148Z"),
    "kind_archive": sketch(
        "l r 46 58 148 142 10; i M46 58L60 38H180L194 58Z; i r 110 58 20 142 0; "
        "w/5 M114 72h12M114 88h12M114 104h12M114 120h12; w r 110 134 20 26 4"
    ),
}
"""The motifs by kind of file."""
