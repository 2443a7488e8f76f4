package tui

import (
	"image"
	"image/color"
	"image/gif"
	"io"
	"time"
)

// frame is a picture of a film and how long it stands.
type frame struct {
	s     *surface
	stand time.Duration
}

// blends is how many steps of a palette lie between a background and a colour on it.
const blends = 10

// filmPalette is every colour of a style on its background, with what smooth edges need between them.
func (p paper) filmPalette() color.Palette {
	out := color.Palette{p.back}
	known := map[color.RGBA]bool{p.back: true}
	for s := range looks {
		fore, back, filled := p.colours(style(s))
		if !filled {
			back = p.back
		}
		for i := 1; i <= blends; i++ {
			mix := func(a, b uint8) uint8 { return uint8((int(a)*(blends-i) + int(b)*i) / blends) }
			c := color.RGBA{mix(back.R, fore.R), mix(back.G, fore.G), mix(back.B, fore.B), 0xff}
			if !known[c] && len(out) < 256 {
				known[c] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// paintGIF writes surfaces of one size as an animation that begins again at its end. A frame holds only the rectangle
// that differs from the one before.
func paintGIF(w io.Writer, frames []frame, b Background) error {
	if len(frames) == 0 {
		return errNoFrames
	}
	p, err := newPainter(frames[0].s.w, frames[0].s.h, b, 1)
	if err != nil {
		return err
	}
	defer p.close()
	palette := p.filmPalette()
	index := map[color.RGBA]uint8{}
	nearest := func(c color.RGBA) uint8 {
		i, ok := index[c]
		if !ok {
			i = uint8(palette.Index(c))
			index[c] = i
		}
		return i
	}
	out := gif.GIF{}
	var before *image.Paletted
	for _, f := range frames {
		p.paint(f.s)
		now := image.NewPaletted(p.img.Bounds(), palette)
		for y := range p.img.Rect.Dy() {
			for x := range p.img.Rect.Dx() {
				now.Pix[y*now.Stride+x] = nearest(p.img.RGBAAt(x, y))
			}
		}
		hundredths := int(f.stand / (10 * time.Millisecond))
		changed := differing(before, now)
		if before != nil && changed.Empty() {
			out.Delay[len(out.Delay)-1] += hundredths
			continue
		}
		out.Image = append(out.Image, now.SubImage(changed).(*image.Paletted))
		out.Delay = append(out.Delay, hundredths)
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		before = now
	}
	out.Config = image.Config{ColorModel: palette, Width: p.img.Rect.Dx(), Height: p.img.Rect.Dy()}
	return gif.EncodeAll(w, &out)
}

// differing is the least rectangle that holds every pixel in which two pictures of one size differ; all of b without
// an a.
func differing(a, b *image.Paletted) image.Rectangle {
	if a == nil {
		return b.Rect
	}
	var out image.Rectangle
	for y := range b.Rect.Dy() {
		for x := range b.Rect.Dx() {
			if a.Pix[y*a.Stride+x] != b.Pix[y*b.Stride+x] {
				out = out.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return out
}
