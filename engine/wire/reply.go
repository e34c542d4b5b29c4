package wire

import (
	"errors"
	"fmt"
	"strings"

	"loadgen/engine/entity"
)

// Row is an entity that a client read. Its strings and its Packed are copies.
type Row = entity.Row

// ParseEntity reads the body of a reply that shows one entity, at minimal or
// full metadata. Its version is that of odata.etag, or else of Timestamp, or 0.
// Nulls are left out. Any fault is an ErrReply.
func ParseEntity(text string) (Row, error) {
	var p replyParser
	p.scan.text = strings.TrimPrefix(text, byteOrderMark)
	row, ok := p.row("")
	if !ok || !p.scan.end() {
		return Row{}, p.err()
	}
	return row, nil
}

// ParsePage appends the entities of a page to dst, which it may reuse, and
// returns the extended slice; a row is read as ParseEntity reads it, and lacks
// the keys that were not selected. Any fault is an ErrReply, and then dst comes
// back as it was.
func ParsePage(dst []Row, text string) ([]Row, error) {
	var p replyParser
	page, partition := dst, ""
	ok := p.list(text, func() bool {
		row, ok := p.row(partition)
		partition = row.Key.Partition
		page = append(page, row)
		return ok
	})
	if !ok {
		return dst, p.err()
	}
	return page, nil
}

// ParseTables appends the names of a list of tables to dst and returns the
// extended slice. Any fault is an ErrReply, and then dst comes back as it was.
func ParseTables(dst []string, text string) ([]string, error) {
	var p replyParser
	names := dst
	ok := p.list(text, func() bool {
		found := false
		p.scan.members(func(member string) {
			if member != "TableName" {
				p.scan.skip()
				return
			}
			if name, ok := p.scan.str(); ok {
				names, found = append(names, strings.Clone(name)), true
			}
		})
		return found || p.scan.fail("unnamed table")
	})
	if !ok {
		return dst, p.err()
	}
	return names, nil
}

const (
	// byteOrderMark is what some writers of UTF-8 begin a text with.
	byteOrderMark = "\ufeff"
	// maxListed is how many elements a list has at most: no page is longer.
	maxListed = 1000
)

// replyParser reads replies; it is reused from row to row.
type replyParser struct {
	scan       jsonScanner
	entity     jsonEntity
	properties []entity.Property
}

func (p *replyParser) err() error {
	if p.scan.fault != "" {
		return fmt.Errorf("%w: %s", ErrReply, p.scan.detail())
	}
	return fmt.Errorf("%w: %s", ErrReply, p.entity.detail)
}

// list reads an object with an array named value, and calls element at each of
// its elements.
func (p *replyParser) list(text string, element func() bool) bool {
	s := &p.scan
	s.text = strings.TrimPrefix(text, byteOrderMark)
	found, ok := false, true
	s.members(func(name string) {
		if name != "value" || found {
			s.skip()
			return
		}
		found = s.open('[')
		first := true
		for n := 0; ok && s.more(first, ']'); n++ {
			first = false
			ok = element() && (n < maxListed || s.fail("too many elements"))
		}
		if !ok {
			s.fail(p.entity.detail)
		}
	})
	return ok && s.end() && (found || s.fail("missing list value"))
}

// row reads an entity. Its partition is the given string where it is equal to
// that: the rows of a page mostly share one.
func (p *replyParser) row(partition string) (Row, bool) {
	if !p.entity.read(&p.scan) {
		return Row{}, false
	}
	if p.entity.isError {
		return Row{}, p.scan.fail("error, no entity")
	}
	var k jsonKey
	var ok bool
	if p.properties, ok = p.entity.resolve(&k, p.properties[:0]); !ok {
		return Row{}, false
	}
	if k.Partition != partition {
		partition = strings.Clone(k.Partition)
	}
	version, tagged := parseVersion(p.entity.etag)
	if !tagged {
		version, _ = parseInstant(p.entity.timestamp)
	}
	return Row{
		Key:    entity.Key{Partition: partition, Row: strings.Clone(k.Row)},
		Entity: entity.Pack(nil, version, p.properties),
	}, true
}

// The faults of what a client was given; test for them with errors.Is.
var (
	// ErrReply: the reply is not of the form that a table service gives.
	ErrReply = errors.New("wire: not a Table reply")
	// ErrSecret: the account key is not base64. The text is never repeated.
	ErrSecret = errors.New("wire: key is not base64")
)
