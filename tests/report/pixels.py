"""PNG files with few colours, which are small: enough for a picture of text and bars, with no other package."""

import collections
import struct
import zlib

STEP = 28  # 10 levels per channel
COLOURS = 64


def chunks(png):
    at = 8
    while at < len(png):
        size, = struct.unpack(">I", png[at:at + 4])
        yield png[at + 4:at + 8], png[at + 8:at + 8 + size]
        at += 12 + size


def rows_of(png):
    """Rows of bytes, and bytes per pixel, of an 8-bit RGB or RGBA picture that is not interlaced."""
    parts = list(chunks(png))
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", parts[0][1])
    assert depth == 8 and kind in (2, 6) and not interlaced, "not the kind of PNG that a browser makes"
    step = 3 if kind == 2 else 4
    data = zlib.decompress(b"".join(body for name, body in parts if name == b"IDAT"))
    before, stride, rows = bytearray(width * step), width * step, []
    for y in range(height):
        start = y * (stride + 1)
        row, method = bytearray(data[start + 1:start + 1 + stride]), data[start]
        for i in range(stride if method else 0):
            left = row[i - step] if i >= step else 0
            up, corner = before[i], before[i - step] if i >= step else 0
            if method == 1:
                add = left
            elif method == 2:
                add = up
            elif method == 3:
                add = (left + up) // 2
            else:
                guess = left + up - corner
                near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                add = near[2]
            row[i] = (row[i] + add) & 255
        rows.append(bytes(row))
        before = row
    return width, step, rows


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def few_colours(png):
    """The same picture with at most COLOURS colours: rare ones become the nearest that is not."""
    width, step, rows = rows_of(png)
    used = collections.Counter()
    cells = []
    for row in rows:
        line = [(row[i], row[i + 1], row[i + 2]) for i in range(0, width * step, step)]
        cells.append(line)
        used.update(line)
    exact = [colour for colour, _ in used.most_common(24)]  # grounds, bars and ink stay as they are
    rough = {colour: colour if colour in exact else tuple((v + STEP // 2) // STEP * STEP for v in colour) for colour in used}
    weight = collections.Counter()
    for colour, count in used.items():
        weight[rough[colour]] += count
    palette = exact + [c for c, _ in weight.most_common() if c not in exact]
    palette = palette[:COLOURS]
    place = {colour: i for i, colour in enumerate(palette)}

    def nearest(colour):
        return min(range(len(palette)), key=lambda i: sum((a - b) ** 2 for a, b in zip(palette[i], colour)))
    index = {colour: place[rough[colour]] if rough[colour] in place else nearest(colour) for colour in used}
    data = b"".join(b"\0" + bytes(index[colour] for colour in line) for line in cells)
    head = struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"PLTE", b"".join(map(bytes, palette))) +
            chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))
