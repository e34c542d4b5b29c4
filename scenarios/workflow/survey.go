package workflow

import (
	"fmt"
	"strings"

	"loadgen/engine/entity"
	"loadgen/target"
)

// survey is what lies in the tables of entities and of their copies. It reads all of them,
// one after another, so that what changes meanwhile may look like a fault: only after a run
// is what it finds certain.
type survey struct {
	of     *Copied
	tables map[string]map[entity.Key]entity.Packed
	// looked is how many copies there are, or should be.
	looked int64
}

// fault is one copy that is not as it should be.
type fault struct {
	what string
	// own is the entity's key, at that of the copy in home.
	own, at entity.Key
	home    int
}

// The ways in which a copy is wrong, which are the names of what repairs count.
const (
	missing = "missing"
	orphan  = "orphaned"
	stale   = "stale"
)

func newSurvey(of *Copied) *survey {
	s := &survey{of: of, tables: make(map[string]map[entity.Key]entity.Packed)}
	for _, home := range of.Homes {
		s.tables[home.Table] = nil
	}
	return s
}

// read returns the request for all that lies in the tables, before it goes on.
func (s *survey) read(then func() Turn) Request {
	for _, home := range s.of.Homes {
		if s.tables[home.Table] != nil {
			continue
		}
		rows := make(map[entity.Key]entity.Packed)
		s.tables[home.Table] = rows
		see := func(row target.Row) { rows[row.Key] = row.Entity }
		return ReadAll(home.Table, target.Query{}, see, func() Turn {
			for _, rows := range s.tables {
				if rows == nil {
					return Send(s.read(then))
				}
			}
			return then()
		})
	}
	panic("workflow: design has no table")
}

// faults calls visit for each faulty copy, in the order of the writes.
func (s *survey) faults(visit func(f fault)) {
	own := s.tables[s.of.Homes[0].Table]
	s.of.All(func(keys []entity.Key, has []bool) {
		stored, there := own[keys[0]]
		for home := 1; home < len(keys); home++ {
			if !has[home] {
				continue
			}
			copied, found := s.tables[s.of.Homes[home].Table][keys[home]]
			if there || found {
				s.looked++
			}
			f := fault{own: keys[0], at: keys[home], home: home}
			switch {
			case there && !found:
				f.what = missing
			case !there && found:
				f.what = orphan
			case there && !s.agrees(copied, stored):
				f.what = stale
			default:
				continue
			}
			visit(f)
		}
	})
}

// agrees reports whether a copy matches its entity. It may have fewer properties; padding and write
// ids differ.
func (s *survey) agrees(copied, stored entity.Packed) bool {
	list, err := copied.Unpack(nil)
	if err != nil {
		return false
	}
	for _, p := range list {
		if is, some := stored.Lookup(p.Name); !ofRun(p.Name) && p.Name != s.of.Filler && (!some || !is.Equal(p.Value)) {
			return false
		}
	}
	return true
}

func ofRun(property string) bool {
	return property == IDProperty || property == HistoryProperty
}

func keyText(k entity.Key) string { return strings.Join([]string{k.Partition, k.Row}, "/") }

// NewCopyCheck returns the check that each entity has its copies, and each copy its entity, with
// the same values. A design without copies has none.
func NewCopyCheck(of *Copied) Check {
	s := newSurvey(of)
	return newFinding("each entity has its copies, and each copy its entity", func(f *Finding) Request {
		return s.read(func() Turn {
			s.faults(func(one fault) {
				name, at, own := of.Homes[one.home].Name, keyText(one.at), keyText(one.own)
				switch one.what {
				case missing:
					f.Found.Fault(fmt.Sprintf("%s lacks copy %s at %s", own, name, at))
				case orphan:
					f.Found.Fault(fmt.Sprintf("copy %s at %s: entity %s is missing", name, at, own))
				default:
					f.Found.Fault(fmt.Sprintf("copy %s at %s differs from %s", name, at, own))
				}
			})
			f.Found.Looked = s.looked
			return End()
		})
	})
}
