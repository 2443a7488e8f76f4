package tui

import (
	"image"
	"image/color"
	drawing "image/draw"
	"image/png"
	"io"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// faces are the bundled fonts: Go Mono, regular and bold. A face is not safe for concurrent use, parsed fonts
// are.
var faces = sync.OnceValues(func() (*[2]*opentype.Font, error) {
	var out [2]*opentype.Font
	for i, data := range [][]byte{gomono.TTF, gomonobold.TTF} {
		f, err := opentype.Parse(data)
		if err != nil {
			return nil, err
		}
		out[i] = f
	}
	return &out, nil
})

// largestPicture bounds a PNG, in pixels across or down.
const largestPicture = 1 << 14

// painter draws a surface into an image.
type painter struct {
	paper
	scale int // pixels per unit
	img   *image.RGBA
	faces [2]font.Face
	fill  *vector.Rasterizer
}

// paintPNG writes a surface as PNG.
func paintPNG(w io.Writer, s *surface, b Background) error {
	p, err := newPainter(s.w, s.h, b, pixelsPerUnit)
	if err != nil {
		return err
	}
	defer p.close()
	p.paint(s)
	return png.Encode(w, p.img)
}

// newPainter makes a painter of surfaces of w x h cells; close ends it.
func newPainter(w, h int, b Background, scale int) (*painter, error) {
	fonts, err := faces()
	if err != nil {
		return nil, err
	}
	width := min((w*cellWidth+2*margin)*scale, largestPicture)
	height := min((h*cellHeight+2*margin)*scale, largestPicture)
	p := &painter{
		paper: paperFor(b), scale: scale,
		img: image.NewRGBA(image.Rect(0, 0, width, height)), fill: vector.NewRasterizer(2*cellWidth*scale, cellHeight*scale),
	}
	for i, f := range fonts {
		if p.faces[i], err = opentype.NewFace(f, &opentype.FaceOptions{Size: fontSize * float64(scale), DPI: 72, Hinting: font.HintingFull}); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

func (p *painter) close() {
	for _, f := range p.faces {
		if f != nil {
			_ = f.Close() // a face in memory
		}
	}
}

// paint draws a surface over what was drawn before.
func (p *painter) paint(s *surface) {
	drawing.Draw(p.img, p.img.Bounds(), image.NewUniform(p.back), image.Point{}, drawing.Src)
	for y := range s.h {
		for x := range s.w {
			c := s.cells[y*s.w+x]
			if _, back, filled := p.colours(c.s); filled {
				drawing.Draw(p.img, p.cellAt(x, y, 1), image.NewUniform(back), image.Point{}, drawing.Src)
			}
		}
		for x := range s.w {
			wide := 1
			if x+1 < s.w && s.cells[y*s.w+x+1].r < 0 {
				wide = 2
			}
			p.cell(x, y, wide, s.cells[y*s.w+x])
		}
	}
}

// cellAt is the rectangle of n cells from x, y on, in pixels.
func (p *painter) cellAt(x, y, n int) image.Rectangle {
	w, h, m := cellWidth*p.scale, cellHeight*p.scale, margin*p.scale
	return image.Rect(m+x*w, m+y*h, m+(x+n)*w, m+(y+1)*h)
}

// cell draws one character.
func (p *painter) cell(x, y, wide int, c cell) {
	if c.r <= ' ' {
		return
	}
	fore, _, _ := p.colours(c.s)
	at := p.cellAt(x, y, wide)
	if made := shapesOf(c.r); made != nil {
		for i := range made {
			p.shape(&made[i], at, fore)
		}
		return
	}
	face := p.faces[0]
	if looks[c.s].bold {
		face = p.faces[1]
	}
	dot := fixed.P(at.Min.X, at.Min.Y+int(baseline*float64(p.scale)))
	dr, mask, mp, _, ok := face.Glyph(dot, c.r)
	if _, has := face.GlyphAdvance(c.r); !ok || !has { // the font lacks it: an empty box stands for it
		frame := at.Inset(3 * p.scale / 2)
		for _, edge := range []image.Rectangle{
			{frame.Min, image.Pt(frame.Max.X, frame.Min.Y+p.scale)},
			{image.Pt(frame.Min.X, frame.Max.Y-p.scale), frame.Max},
			{frame.Min, image.Pt(frame.Min.X+p.scale, frame.Max.Y)},
			{image.Pt(frame.Max.X-p.scale, frame.Min.Y), frame.Max},
		} {
			drawing.Draw(p.img, edge, image.NewUniform(fore), image.Point{}, drawing.Over)
		}
		return
	}
	drawing.DrawMask(p.img, dr, image.NewUniform(fore), image.Point{}, mask, mp, drawing.Over)
}

// shape fills a shape of a cell.
func (p *painter) shape(m *shape, at image.Rectangle, fore color.RGBA) {
	w, h := float64(at.Dx()), float64(at.Dy())
	p.fill.Reset(at.Dx(), at.Dy())
	p.fill.DrawOp = drawing.Over
	if m.corners != nil {
		for i, c := range m.corners {
			if x, y := float32(c[0]*w), float32(c[1]*h); i == 0 {
				p.fill.MoveTo(x, y)
			} else {
				p.fill.LineTo(x, y)
			}
		}
	} else {
		circle(p.fill, float32(m.x*w), float32(m.y*h), float32(m.r*h))
	}
	p.fill.ClosePath()
	paint := color.NRGBA{fore.R, fore.G, fore.B, 0xff}
	if m.share > 0 {
		paint.A = uint8(m.share * 0xff)
	}
	p.fill.Draw(p.img, at, image.NewUniform(paint), image.Point{})
}

// circle is four cubic curves; 0.5523 makes a quarter of a circle to three parts in ten thousand.
func circle(z *vector.Rasterizer, x, y, r float32) {
	k := r * 0.5523
	z.MoveTo(x+r, y)
	z.CubeTo(x+r, y+k, x+k, y+r, x, y+r)
	z.CubeTo(x-k, y+r, x-r, y+k, x-r, y)
	z.CubeTo(x-r, y-k, x-k, y-r, x, y-r)
	z.CubeTo(x+k, y-r, x+r, y-k, x+r, y)
}
