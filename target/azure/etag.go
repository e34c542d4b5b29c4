package azure

import (
	"strings"
	"sync/atomic"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// etags knows how the service prints entity tags. To it they are texts that are
// compared as they are; to this module they are instants. The two agree only
// where an instant is written as the service wrote it: the real one trims the
// zeros at the end of the fraction, as [loadgen/engine/entity.Ticks.ETag] does, Azurite always
// prints seven digits. Safe for concurrent use.
type etags struct{ style atomic.Int32 }

// The styles. They differ only in tags that end with a zero, so that no tag
// whose style matters has been seen while it is unknown.
const (
	styleUnknown = iota
	styleTrimmed
	styleSeven
)

// The end of a tag, and of a fraction that ends with a zero.
const (
	tagEnd   = `Z'"`
	zeros    = ".0000000"
	tickStep = 10
)

// read returns the version that a tag names, 0 for none, and learns from it.
func (e *etags) read(tag string) entity.Ticks {
	version, err := entity.ParseETag(tag)
	if err != nil {
		return 0
	}
	if version%tickStep == 0 && e.style.Load() != styleSeven {
		if i := len(tag) - len(tagEnd) - len(zeros); i >= 0 && tag[i] == '.' {
			e.style.Store(styleSeven)
		} else {
			e.style.Store(styleTrimmed)
		}
	}
	return version
}

// learn looks through a page for a tag whose style matters, unless the style is
// known.
func (e *etags) learn(page string, rows []wire.Row) {
	if e.style.Load() != styleUnknown {
		return
	}
	for i := range rows {
		version := rows[i].Entity.Timestamp()
		if version%tickStep != 0 || version == 0 {
			continue
		}
		_, seven, _ := strings.Cut(sevenDigits(version), `"`)
		if strings.Contains(page, strings.TrimSuffix(seven, `"`)) {
			e.style.Store(styleSeven)
		} else {
			e.style.Store(styleTrimmed)
		}
		return
	}
}

// write returns the tag of a version as the service prints it.
func (e *etags) write(version entity.Ticks) string {
	if version%tickStep == 0 && e.style.Load() == styleSeven {
		return sevenDigits(version)
	}
	return version.ETag()
}

// condition returns the If-Match header of a condition, empty for none.
func (e *etags) condition(m entity.Match) string {
	version, exactly := m.Exactly()
	switch {
	case exactly:
		return e.write(version)
	case m.IsNone():
		return ""
	default:
		return "*"
	}
}

// sevenDigits returns a tag with its fraction written out.
func sevenDigits(version entity.Ticks) string {
	tag := strings.TrimSuffix(version.ETag(), tagEnd)
	written := 0
	if point := strings.LastIndexByte(tag, '.'); point >= 0 {
		written = len(tag) - point
	}
	return tag + zeros[written:] + tagEnd
}
