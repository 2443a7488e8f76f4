package tui

import (
	"fmt"
	"image/color"
	"io"
	"strings"
)

// paper is what a picture is drawn on: the colours of a background, and the size of a cell.
type paper struct {
	back, fore color.RGBA
	hues       hues
}

// The cell of a picture, in units of SVG; PNGs have pixelsPerUnit of them.
const (
	cellWidth     = 9
	cellHeight    = 18
	fontSize      = 15
	baseline      = 13.5 // below the top of a cell
	pixelsPerUnit = 2
	margin        = 9
)

// paperFor is the paper of a background; where it is not known it is dark.
func paperFor(b Background) paper {
	if b == BackgroundLight {
		return paper{back: color.RGBA{0xff, 0xff, 0xff, 0xff}, fore: color.RGBA{0x1a, 0x1a, 0x1a, 0xff}, hues: hues256[BackgroundLight]}
	}
	return paper{back: color.RGBA{0x12, 0x14, 0x18, 0xff}, fore: color.RGBA{0xe6, 0xe6, 0xe6, 0xff}, hues: hues256[BackgroundDark]}
}

// colours are those of a style: text and what lies behind it; filled says whether there is anything behind.
func (p paper) colours(s style) (fore, back color.RGBA, filled bool) {
	fore, back = p.fore, p.back
	a := looks[s]
	if n := p.hues.of(a.hue); n != 0 {
		fore = rgbOf(n)
	}
	if a.reverse {
		return back, fore, true
	}
	return fore, back, false
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// paintSVG writes a surface as SVG: text as text, so that it can be searched and copied, everything else as
// shapes.
func paintSVG(w io.Writer, s *surface, b Background) error {
	p := paperFor(b)
	var out strings.Builder
	width, height := s.w*cellWidth+2*margin, s.h*cellHeight+2*margin
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">`+"\n", width, height, width, height)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" fill="%s"/>`+"\n", hex(p.back))
	fmt.Fprintf(&out, `<g font-family="'Go Mono','DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="%d" xml:space="preserve" transform="translate(%d %d)">`+"\n", fontSize, margin, margin)
	for y := range s.h {
		line := s.cells[y*s.w : (y+1)*s.w]
		for x := 0; x < s.w; {
			n := 1
			for x+n < s.w && line[x+n].s == line[x].s {
				n++
			}
			p.svgRun(&out, line[x:x+n], x, y)
			x += n
		}
	}
	out.WriteString("</g>\n</svg>\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// svgRun writes some cells of one style.
func (p paper) svgRun(out *strings.Builder, cells []cell, x, y int) {
	fore, back, filled := p.colours(cells[0].s)
	left, top := x*cellWidth, y*cellHeight
	if filled {
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", left, top, len(cells)*cellWidth, cellHeight, hex(back))
	}
	var text strings.Builder
	from, letters := 0, 0
	flush := func(to int) {
		if letters > 0 {
			bold := ""
			if looks[cells[0].s].bold {
				bold = ` font-weight="bold"`
			}
			fmt.Fprintf(out, `<text x="%d" y="%g" textLength="%d" fill="%s"%s>%s</text>`+"\n",
				left+from*cellWidth, float64(top)+baseline, (to-from)*cellWidth, hex(fore), bold, strings.TrimRight(text.String(), " "))
		}
		text.Reset()
		letters = 0
	}
	end := 0 // behind the last letter
	var shapes strings.Builder
	for i, c := range cells {
		made := shapesOf(c.r)
		switch {
		case c.r < 0: // the second half of the one before
			end = i + 1
		case made == nil && c.r != 0 && c.r != ' ':
			if letters == 0 {
				from = i
			}
			text.WriteString(escapeXML(c.r))
			letters, end = letters+1, i+1
		case made == nil && letters > 0 && i+1 < len(cells) && cells[i+1].r > ' ':
			text.WriteByte(' ') // between two words
		default:
			flush(end)
			for _, m := range made {
				m.svg(&shapes, float64(left+i*cellWidth), float64(top))
			}
		}
	}
	flush(end)
	if shapes.Len() > 0 {
		fmt.Fprintf(out, `<g fill="%s">%s</g>`+"\n", hex(fore), shapes.String())
	}
}

// svg writes a shape of a cell at x, y.
func (m *shape) svg(out *strings.Builder, x, y float64) {
	opacity := ""
	if m.share > 0 {
		opacity = fmt.Sprintf(` opacity="%g"`, m.share)
	}
	if m.corners == nil {
		fmt.Fprintf(out, `<circle cx="%.4g" cy="%.4g" r="%.3g"%s/>`, x+m.x*cellWidth, y+m.y*cellHeight, m.r*cellHeight, opacity)
		return
	}
	out.WriteString(`<path d="`)
	for i, c := range m.corners {
		out.WriteByte("ML"[min(i, 1)])
		fmt.Fprintf(out, "%.5g %.5g", x+c[0]*cellWidth, y+c[1]*cellHeight)
	}
	fmt.Fprintf(out, `Z"%s/>`, opacity)
}

func escapeXML(r rune) string {
	switch r {
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '&':
		return "&amp;"
	}
	return string(r)
}
