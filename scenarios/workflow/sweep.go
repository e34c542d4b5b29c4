package workflow

import (
	"net/url"
	"strings"

	"loadgen/engine/entity"
	"loadgen/target"
)

// mostListed is how many blobs a list names at most.
const mostListed = 5000

// listAll returns the request for the names of all blobs with a prefix, list by list:
// see is told of each.
func listAll(store, prefix string, see func(target.Found), then func() Turn) Request {
	var behind func(name, marker string) Request
	behind = func(name, marker string) Request {
		list := target.Beside{Verb: target.ListBlobs, Store: store, Name: prefix, After: name, Marker: marker}
		// A container is made by the first blob in it.
		return Aside(list, target.Expected{NotFound: true}, func(a Attempt) Turn {
			found := a.Outcome.Found
			for i := range found {
				see(found[i])
			}
			switch further := a.Outcome.Marker; {
			case further != "":
				return Send(behind(name, further))
			case len(found) == mostListed:
				return Send(behind(found[len(found)-1].Name, ""))
			}
			return then()
		})
	}
	return behind("", "")
}

// newLargeSweep returns the search for blobs whose entity is not there.
func newLargeSweep(c *Call) *Script {
	return NewScript(func(s *Script) Request {
		var names []string
		var next func() Turn
		next = func() Turn {
			for len(names) > 0 {
				name := names[0]
				names = names[1:]
				partition, row, whole := strings.Cut(name, "/")
				p, err := url.PathUnescape(partition)
				r, also := url.PathUnescape(row)
				key, some := entity.Key{Partition: p, Row: r}, whole && err == nil && also == nil
				if !some {
					continue
				}
				return Send(Read(c.Table, key, func(a Attempt) Turn {
					if Ok(a.Outcome.Status) {
						return next()
					}
					drop := target.Beside{Verb: target.DeleteBlob, Store: c.StoreOf(largeStore), Name: name}
					return Send(Aside(drop, target.Expected{NotFound: true}, func(Attempt) Turn {
						s.Add("orphans", 1)
						return next()
					}))
				}))
			}
			return End()
		}
		return listAll(c.StoreOf(largeStore), "", func(f target.Found) {
			s.Add("blobs", 1)
			names = append(names, f.Name)
		}, func() Turn { return next() })
	})
}
