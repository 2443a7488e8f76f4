package tui

import (
	"bytes"
	"encoding/xml"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"
)

// Every character that a screen can hold besides letters has shapes, whatever the glyph set.
func TestEveryGlyphHasAShapeOrIsAscii(t *testing.T) {
	for _, c := range screens {
		g := max(c.g, GlyphsBraille)
		for _, cell := range newTestModel(c.make(), c.w, c.h, g).typed(c.keys...).screen().cells {
			if cell.r > 0x7f && shapesOf(cell.r) == nil {
				t.Errorf("%s: %q (%U) would be left to a font", c.name, cell.r, cell.r)
			}
		}
	}
}

func TestBrailleIsDrawnDotByDot(t *testing.T) {
	for bits := range rune(256) {
		n := 0
		for b := bits; b > 0; b >>= 1 {
			n += int(b & 1)
		}
		if got := len(shapesOf(0x2800 + bits)); got != n {
			t.Errorf("%U has %d dots, drawn are %d", 0x2800+bits, n, got)
		}
	}
}

func TestAPictureAsPNG(t *testing.T) {
	s := newSurface(8, 2, false)
	c := s.canvas()
	c.text(0, 0, plain, "█▀ ")
	c.set(3, 0, liveTone, 0x2801)
	c.text(4, 0, selected, "a")
	c.text(0, 1, wrong, "W界")
	for _, b := range []Background{BackgroundDark, BackgroundLight} {
		var out bytes.Buffer
		if err := paintPNG(&out, s, b); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		p := paperFor(b)
		at := func(cx, cy int, x, y float64) color.RGBA {
			r := (&painter{scale: pixelsPerUnit}).cellAt(cx, cy, 1)
			return color.RGBAModel.Convert(img.At(r.Min.X+int(x*float64(r.Dx())), r.Min.Y+int(y*float64(r.Dy())))).(color.RGBA)
		}
		for _, want := range []struct {
			what string
			got  color.RGBA
			want color.RGBA
		}{
			{"the margin is paper", color.RGBAModel.Convert(img.At(0, 0)).(color.RGBA), p.back},
			{"a full block fills its cell", at(0, 0, 0.02, 0.98), p.fore},
			{"the upper half is filled", at(1, 0, 0.5, 0.25), p.fore},
			{"the lower half is not", at(1, 0, 0.5, 0.75), p.back},
			{"the first dot of braille has the colour of live", at(3, 0, 0.25, 0.125), rgbOf(p.hues.orange)},
			{"where no dot is there is paper", at(3, 0, 0.75, 0.875), p.back},
			{"a selected cell is reversed", at(4, 0, 0.02, 0.02), p.fore},
		} {
			if want.got != want.want {
				t.Errorf("%s background: %s: %v, want %v", b, want.what, want.got, want.want)
			}
		}
	}
}

func TestAPictureAsSVG(t *testing.T) {
	m := newTestModel(after(41), 80, 24, GlyphsBraille)
	var out bytes.Buffer
	if err := paintSVG(&out, m.screen(), BackgroundLight); err != nil {
		t.Fatal(err)
	}
	text, circles := "", 0
	d := xml.NewDecoder(&out)
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.CharData:
			text += string(x) + "\n"
		case xml.StartElement:
			if x.Name.Local == "circle" {
				circles++
			}
		}
	}
	for _, want := range []string{"oscillator", "Why launch 42 takes 32 steps", "32, nearest power of two (22.6 to 45.3)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the picture's text", want)
		}
	}
	dots := 0
	for _, c := range m.screen().cells {
		if c.r >= 0x2800 && c.r <= 0x28ff {
			dots += len(shapesOf(c.r))
		}
	}
	if circles != dots || dots == 0 {
		t.Errorf("%d dots on screen, %d circles in the picture", dots, circles)
	}
	if strings.ContainsAny(text, "⠀⣀│━") {
		t.Error("plots are left to a font")
	}
}

// A name from a user's file cannot end the text it stands in.
func TestSVGEscapes(t *testing.T) {
	s := newSurface(12, 1, false)
	s.canvas().text(0, 0, plain, "<a>&\"</text>")
	var out bytes.Buffer
	if err := paintSVG(&out, s, BackgroundDark); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "<a>") || strings.Count(out.String(), "</text>") != 1 {
		t.Errorf("not escaped:\n%s", out.String())
	}
}
