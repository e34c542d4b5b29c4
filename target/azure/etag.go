package azure

import (
	"strings"
	"sync/atomic"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// etags learns how the service writes entity tags. The service compares them as texts, while this
// module keeps instants, which it must write as the service did: the real service trims trailing
// zeros of the fraction, as [loadgen/engine/entity.Ticks.ETag] does, Azurite always writes seven
// digits. It is safe for concurrent use.
type etags struct{ style atomic.Int32 }

// The styles differ only in tags that end with a zero; while the style is unknown no such tag has been seen.
const (
	styleUnknown = iota
	styleTrimmed
	styleSeven
)

// The end of a tag, and the zeros of a fraction.
const (
	tagEnd   = `Z'"`
	zeros    = ".0000000"
	tickStep = 10
)

// read returns the version in a tag, 0 for none, and learns the style from it.
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

// learn finds the style in the tags of a page, unless it is known.
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

// write returns the tag of a version in the service's style.
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

// sevenDigits returns a tag with a fraction of seven digits.
func sevenDigits(version entity.Ticks) string {
	tag := strings.TrimSuffix(version.ETag(), tagEnd)
	written := 0
	if point := strings.LastIndexByte(tag, '.'); point >= 0 {
		written = len(tag) - point
	}
	return tag + zeros[written:] + tagEnd
}
