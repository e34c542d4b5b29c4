package queueblob

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"loadgen/target"
)

// containers has the containers of an account by name.
type containers struct {
	named  map[string]*container
	room   *room
	issued uint64
}

// container has the blobs of a container, sorted by name.
type container struct{ blobs []*blob }

// blob is immutable: a write replaces it.
type blob struct {
	name     string
	body     []byte
	metadata map[string]string
	etag     string
}

func (c *containers) carryOut(b *target.Beside) target.Outcome {
	one, there := c.named[b.Store]
	switch {
	case b.Verb == target.PutBlob:
		return c.put(b)
	case b.Verb == target.MakeContainer:
		return c.make(b, there)
	case b.Verb == target.ListBlobs && !there:
		return target.Outcome{Status: 200}
	case !there:
		return missing(containerNotFound)
	case b.Verb == target.ListBlobs:
		// Blobs with the prefix, after the given name.
		var found []target.Found
		at, _ := one.find(max(b.Name, b.After))
		for _, blob := range one.blobs[at:] {
			if !strings.HasPrefix(blob.name, b.Name) || len(found) == maxListed(b) {
				break
			}
			if blob.name != b.After {
				found = append(found, blob.listEntry())
			}
		}
		return target.Outcome{Status: 200, Found: found}
	case b.Verb == target.DropContainer:
		for _, blob := range one.blobs {
			c.room.release(1, blob.size())
		}
		c.room.release(1, len(b.Store))
		delete(c.named, b.Store)
		return target.Outcome{Status: 202}
	}
	at, there := one.find(b.Name)
	if !there {
		return missing(blobNotFound)
	}
	blob := one.blobs[at]
	if b.Verb == target.GetBlob {
		found := blob.listEntry()
		found.Body = blob.body
		return target.Outcome{Status: 200, Found: []target.Found{found}}
	}
	one.blobs = slices.Delete(one.blobs, at, at+1)
	c.room.release(1, blob.size())
	return target.Outcome{Status: 202}
}

// make creates a container unless it exists.
func (c *containers) make(b *target.Beside, there bool) target.Outcome {
	if there {
		return target.Outcome{Status: 409, Code: containerExists, Detail: "it is there already"}
	}
	if !c.room.reserve(1, len(b.Store)) {
		return c.room.fullOutcome()
	}
	c.named[b.Store] = new(container)
	return target.Outcome{Status: 201}
}

// put writes a blob if its condition holds. It creates a missing container, even if the
// condition does not hold.
func (c *containers) put(b *target.Beside) target.Outcome {
	one, known := c.named[b.Store]
	if !known {
		if o := c.make(b, false); o.Status != 201 {
			return o
		}
		one = c.named[b.Store]
	}
	at, there := one.find(b.Name)
	switch {
	case b.Match == target.IfAbsent && there:
		return thereAlready()
	case b.Match != "" && b.Match != target.IfAbsent && (!there || one.blobs[at].etag != b.Match):
		return target.Outcome{Status: 412, Code: conditionNotMet, Detail: "it has another ETag"}
	}
	c.issued++
	written := &blob{b.Name, slices.Clone(b.Body), maps.Clone(b.Metadata), "0x" + strconv.FormatUint(c.issued, 16)}
	things, bytes := 1, written.size()
	if there {
		things, bytes = 0, bytes-one.blobs[at].size()
	}
	if !c.room.reserve(things, bytes) {
		return c.room.fullOutcome()
	}
	if there {
		one.blobs[at] = written
	} else {
		one.blobs = slices.Insert(one.blobs, at, written)
	}
	return target.Outcome{Status: 201, Found: []target.Found{{Name: b.Name, Size: int64(len(b.Body)), ETag: written.etag}}}
}

// thereAlready returns the outcome for a blob that exists but must not.
func thereAlready() target.Outcome {
	return target.Outcome{Status: 409, Code: blobAlreadyExists, Detail: "it is there already"}
}

// find returns the position of a blob, and whether it exists.
func (c *container) find(name string) (int, bool) {
	return slices.BinarySearchFunc(c.blobs, name, func(b *blob, name string) int { return strings.Compare(b.name, name) })
}

// listEntry returns the description of a blob in a list.
func (b *blob) listEntry() target.Found {
	return target.Found{Name: b.name, Size: int64(len(b.body)), Metadata: b.metadata, ETag: b.etag}
}

func (b *blob) size() int {
	size := len(b.name) + len(b.body)
	for name, value := range b.metadata {
		size += len(name) + len(value)
	}
	return size
}
