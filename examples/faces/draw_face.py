"""Draws faces: an identity's shape, distances and colours, seen in another way in each picture.

    person = draw_person(np.random.default_rng(1))
    image = draw_picture(np.random.default_rng(2), person)     (42, 36, 3) uint8, BGR

Two pictures of one person differ in position, size, turn, light, background, noise and expression.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

HEIGHT, WIDTH = 42, 36
SCALE = 4
"""A face is drawn this much larger, and made smaller at the end, for smooth edges."""
Colour = tuple[float, float, float]
SKINS = np.array([[196, 216, 240], [150, 182, 222], [105, 140, 186], [62, 88, 130], [40, 56, 88]])
HAIRS = np.array([[28, 26, 30], [40, 62, 92], [52, 92, 140], [110, 170, 212], [150, 150, 152]])
EYES = np.array([[34, 54, 80], [150, 112, 66], [92, 120, 70], [24, 26, 34]])


@dataclass(frozen=True)
class Person:
    """What all pictures of a person have in common.

    Lengths are parts of the picture's width, places are from the middle of the face, down positive.
    """

    skin: Colour
    hair: Colour
    eye_colour: Colour
    mouth_colour: Colour
    face_width: float
    face_height: float
    jaw: float  # exponent of the lower outline: 2 is an ellipse, more is squarer
    hair_line: float
    hair_side: float  # where the hair ends beside the face
    hair_volume: float
    eye_distance: float
    eye_y: float
    eye_size: float
    eye_aspect: float
    brow_gap: float
    brow_tilt: float
    brow_thickness: float
    nose_length: float
    nose_width: float
    mouth_y: float
    mouth_width: float
    lip_thickness: float
    beard: float  # 0 none, up to 1
    glasses: bool


@dataclass(frozen=True)
class View:
    """What changes from picture to picture."""

    turn: float  # degrees
    zoom: float
    shift: tuple[float, float]
    yaw: float  # how far the features move sideways on the face
    smile: float
    mouth_open: float
    eyes_open: float
    brow_raise: float


def draw_person(rng: np.random.Generator) -> Person:
    """A person with features drawn at random."""

    def mixed(colours: np.ndarray, spread: float) -> Colour:
        place = rng.uniform(0, len(colours) - 1)
        left = int(place)
        mix = colours[left] + (place - left) * (colours[left + 1] - colours[left])
        blue, green, red = mix + rng.normal(0, spread, 3)
        return float(blue), float(green), float(red)

    skin = mixed(SKINS, 5)
    red = rng.uniform(0.15, 0.6)
    mouth = np.array(skin) * (1 - red) + np.array([70, 60, 190]) * red
    return Person(
        skin=skin,
        hair=mixed(HAIRS, 8),
        eye_colour=mixed(EYES, 6),
        mouth_colour=(float(mouth[0]), float(mouth[1]), float(mouth[2])),
        face_width=rng.uniform(0.27, 0.37),
        face_height=rng.uniform(0.37, 0.47),
        jaw=rng.uniform(1.6, 3.4),
        hair_line=rng.uniform(0.16, 0.34),
        hair_side=rng.uniform(-0.25, 0.5),
        hair_volume=rng.uniform(0.01, 0.1),
        eye_distance=rng.uniform(0.11, 0.175),
        eye_y=rng.uniform(-0.1, 0.02),
        eye_size=rng.uniform(0.04, 0.07),
        eye_aspect=rng.uniform(0.4, 0.8),
        brow_gap=rng.uniform(0.06, 0.1),
        brow_tilt=rng.uniform(-0.35, 0.35),
        brow_thickness=rng.uniform(0.012, 0.04),
        nose_length=rng.uniform(0.1, 0.19),
        nose_width=rng.uniform(0.03, 0.08),
        mouth_y=rng.uniform(0.2, 0.27),
        mouth_width=rng.uniform(0.08, 0.15),
        lip_thickness=rng.uniform(0.015, 0.045),
        beard=float(rng.uniform(0.2, 0.7)) if rng.random() < 0.25 else 0.0,
        glasses=bool(rng.random() < 0.15),
    )


def draw_picture(rng: np.random.Generator, person: Person) -> np.ndarray:
    """A picture of a person, in a view and a light drawn at random."""
    view = View(
        turn=rng.normal(0, 4),
        zoom=rng.uniform(0.92, 1.06),
        shift=(rng.normal(0, 0.02), rng.normal(0, 0.02)),
        yaw=rng.uniform(-0.04, 0.04),
        smile=rng.uniform(-0.5, 1),
        mouth_open=max(0.0, rng.uniform(-1, 1)),
        eyes_open=rng.uniform(0.65, 1.1),
        brow_raise=rng.uniform(-0.01, 0.02),
    )
    canvas = _background(rng)
    _Drawing(canvas, person, view).draw()
    small = cv2.resize(canvas, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA).astype(np.float32)
    return _light(rng, small)


def _background(rng: np.random.Generator) -> np.ndarray:
    coarse = rng.uniform(20, 235, (3, 3, 3)).astype(np.float32)
    size = (WIDTH * SCALE, HEIGHT * SCALE)
    smooth = cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(smooth.astype(np.uint8))


def _light(rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
    """Brightness, a cast of colour, light from one side, noise."""
    gain = rng.uniform(0.65, 1.2) * rng.uniform(0.94, 1.06, 3)
    down, right = np.mgrid[-1 : 1 : HEIGHT * 1j, -1 : 1 : WIDTH * 1j]
    angle = rng.uniform(0, 2 * np.pi)
    side = 1 + rng.uniform(0, 0.3) * (np.cos(angle) * right + np.sin(angle) * down)
    lit = image * gain * side[:, :, None] + rng.normal(0, 5, image.shape)
    return np.clip(lit, 0, 255).astype(np.uint8)


class _Drawing:
    """The parts of a face, from the back to the front."""

    def __init__(self, canvas: np.ndarray, person: Person, view: View) -> None:
        self.canvas = canvas
        self.person = person
        self.view = view
        angle = np.deg2rad(view.turn)
        unit = WIDTH * SCALE * view.zoom
        cos = np.cos(angle) * unit
        sin = np.sin(angle) * unit
        self.matrix = np.array([[cos, -sin], [sin, cos]])
        shift = np.array(view.shift) * WIDTH
        self.middle = (np.array([WIDTH / 2, HEIGHT * 0.53]) + shift) * SCALE

    def draw(self) -> None:
        """All parts."""
        p = self.person
        hair_width = p.face_width + p.hair_volume
        top = p.face_height + p.hair_volume
        self._fill([(-0.13, 0.2), (0.13, 0.2), (0.17, 0.9), (-0.17, 0.9)], p.skin, 0.85)
        back = _outline(hair_width, top, 2.2, top)
        self._fill([(x, min(y, p.hair_side)) for x, y in back], p.hair)
        face = _outline(p.face_width, p.face_height, p.jaw, p.face_height)
        self._fill(face, p.skin)
        if p.beard:
            self._fill([(x, max(y, 0.15)) for x, y in face], p.hair, mix=p.beard)
        fringe = p.hair_line - p.face_height
        self._fill([(x, min(y, fringe)) for x, y in face], p.hair)
        self._eyes()
        self._nose()
        self._mouth()

    def _eyes(self) -> None:
        p = self.person
        for side in (-1, 1):
            x = side * p.eye_distance + self.view.yaw
            opened = p.eye_size * p.eye_aspect * self.view.eyes_open
            self._fill(_ellipse(x, p.eye_y, p.eye_size, opened), (228, 228, 228))
            iris = min(opened, p.eye_size * 0.55)
            gaze = x + self.view.yaw * 0.3
            self._fill(_ellipse(gaze, p.eye_y, iris, iris), p.eye_colour)
            self._fill(_ellipse(gaze, p.eye_y, iris * 0.5, iris * 0.5), (10, 10, 10))
            brow = p.eye_y - p.brow_gap - self.view.brow_raise
            inner = brow + p.brow_tilt * p.eye_size
            outer = brow - p.brow_tilt * p.eye_size
            reach = p.eye_size * 1.2
            half = p.brow_thickness / 2
            ends = ((x - side * reach, inner), (x + side * reach, outer))
            lower = [(px, py + half) for px, py in ends]
            upper = [(px, py - half) for px, py in reversed(ends)]
            self._fill(lower + upper, p.hair)
            if p.glasses:
                rim = _ellipse(x, p.eye_y, p.eye_size * 1.45, p.eye_size * 1.25)
                self._line(rim, (20, 20, 20), closed=True)
        if p.glasses:
            reach = p.eye_distance - p.eye_size * 1.45
            bridge = [(self.view.yaw - reach, p.eye_y), (self.view.yaw + reach, p.eye_y)]
            self._line(bridge, (20, 20, 20), closed=False)

    def _nose(self) -> None:
        p = self.person
        x = self.view.yaw * 1.3
        tip = p.eye_y + p.nose_length
        bridge = [(x - 0.012, p.eye_y), (x + 0.012, p.eye_y)]
        base = [(x + p.nose_width, tip), (x - p.nose_width, tip)]
        self._fill(bridge + base, p.skin, 0.86)
        self._fill(_ellipse(x, tip, p.nose_width, 0.016), p.skin, 0.68)

    def _mouth(self) -> None:
        p = self.person
        x = self.view.yaw + np.linspace(-1, 1, 9) * p.mouth_width
        bend = (np.linspace(-1, 1, 9) ** 2 - 0.5) * self.view.smile * -0.05
        full = 1 - np.linspace(-1, 1, 9) ** 2
        opened = full * self.view.mouth_open * 0.03
        lips = full * p.lip_thickness + 0.008
        self._band(x, p.mouth_y + bend - opened - lips, p.mouth_y + bend + opened + lips)
        inside = (x, p.mouth_y + bend - opened - 0.004, p.mouth_y + bend + opened + 0.004)
        self._band(*inside, dark=True)

    def _band(
        self, x: np.ndarray, upper: np.ndarray, lower: np.ndarray, dark: bool = False
    ) -> None:
        points = list(zip(x, upper)) + list(zip(x[::-1], lower[::-1]))
        self._fill(points, self.person.mouth_colour, 0.35 if dark else 1.0)

    def _fill(
        self,
        points: list[tuple[float, float]],
        colour: Colour,
        shade: float = 1.0,
        mix: float = 1.0,
    ) -> None:
        """A polygon, `shade` times as bright as `colour`, laid over with the weight `mix`."""
        painted = tuple(float(np.clip(value * shade, 0, 255)) for value in colour)
        if mix == 1:
            cv2.fillPoly(self.canvas, [self._pixels(points)], painted, cv2.LINE_AA)
            return
        over = self.canvas.copy()
        cv2.fillPoly(over, [self._pixels(points)], painted, cv2.LINE_AA)
        cv2.addWeighted(over, mix, self.canvas, 1 - mix, 0, dst=self.canvas)

    def _line(self, points: list[tuple[float, float]], colour: Colour, closed: bool) -> None:
        cv2.polylines(self.canvas, [self._pixels(points)], closed, colour, 3, cv2.LINE_AA)

    def _pixels(self, points: list[tuple[float, float]]) -> np.ndarray:
        placed = np.array(points) @ self.matrix.T + self.middle
        return np.round(placed).astype(np.int32)


def _outline(width: float, above: float, power: float, below: float) -> list[tuple[float, float]]:
    """An ellipse above, below with the exponent `power`."""
    points = []
    for angle in np.linspace(0, 2 * np.pi, 40, endpoint=False):
        cos = np.cos(angle)
        sin = np.sin(angle)
        exponent = 2 / power if sin > 0 else 1.0
        x = np.sign(cos) * abs(cos) ** exponent * width
        y = np.sign(sin) * abs(sin) ** exponent * (below if sin > 0 else above)
        points.append((float(x), float(y)))
    return points


def _ellipse(x: float, y: float, width: float, height: float) -> list[tuple[float, float]]:
    points = []
    for angle in np.linspace(0, 2 * np.pi, 16, endpoint=False):
        points.append((float(x + np.cos(angle) * width), float(y + np.sin(angle) * height)))
    return points
