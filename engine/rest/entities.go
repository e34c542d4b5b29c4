package rest

import (
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// The operations on one entity. Only If-Match distinguishes an update from an upsert.
var (
	insertEntity = operation{status: 201, writes: true, needs: verbRights[entity.Insert],
		prepare: func(x *exchange) (entity.Code, string) {
			if len(x.request.Header["If-Match"]) > 0 {
				return entity.InvalidInput, "an insert has no If-Match"
			}
			if code, detail := x.readEntity(); code != entity.OK {
				return code, detail
			}
			if !x.entity.HasPartition || !x.entity.HasRow {
				return entity.PropertiesNeedValue, "an insert needs a PartitionKey and a RowKey"
			}
			x.bare = x.prefersNothing()
			x.askEntity(entity.Insert, x.entity.Key)
			return entity.OK, ""
		},
		present: (*exchange).presentMade}
	getEntity = operation{status: 200, needs: verbRights[entity.Get],
		prepare: func(x *exchange) (entity.Code, string) {
			if code, detail := entity.ValidateKey(x.resource.Key); code != entity.OK {
				return code, detail
			}
			if code, detail := x.readSelect(); code != entity.OK {
				return code, detail
			}
			x.askEntity(entity.Get, x.resource.Key)
			return entity.OK, ""
		},
		present: func(x *exchange) {
			x.addTag()
			x.output = x.rendering.AppendEntity(x.output, x.change.Key, x.reply.Entity)
		}}
	replaceEntity = operation{status: 204, writes: true, needs: verbRights[entity.Replace],
		update: entity.Replace, upsert: entity.InsertOrReplace,
		prepare: (*exchange).prepareUpdate, present: (*exchange).addTag}
	mergeEntity = operation{status: 204, writes: true, needs: verbRights[entity.Merge],
		update: entity.Merge, upsert: entity.InsertOrMerge,
		prepare: (*exchange).prepareUpdate, present: (*exchange).addTag}
	deleteEntity = operation{status: 204, writes: true, needs: verbRights[entity.Delete],
		prepare: func(x *exchange) (entity.Code, string) {
			if code, detail := x.readCondition(); code != entity.OK {
				return code, detail
			}
			if x.match.IsNone() {
				return entity.MissingRequiredHeader, "a delete needs an If-Match"
			}
			x.askEntity(entity.Delete, x.resource.Key)
			return entity.OK, ""
		}}
)

func (x *exchange) prepareUpdate() (entity.Code, string) {
	if code, detail := x.readCondition(); code != entity.OK {
		return code, detail
	}
	if code, detail := x.readEntity(); code != entity.OK {
		return code, detail
	}
	key, body := x.resource.Key, &x.entity
	if body.HasPartition && body.Key.Partition != key.Partition || body.HasRow && body.Key.Row != key.Row {
		return entity.InvalidInput, "the keys of the body and URL differ"
	}
	verb := x.operation.update
	if x.match.IsNone() {
		verb = x.operation.upsert
	}
	x.askEntity(verb, key)
	return entity.OK, ""
}

func (x *exchange) readEntity() (entity.Code, string) {
	if code, detail := x.readJSON(); code != entity.OK {
		return code, detail
	}
	return x.entity.Parse(x.text())
}

// readCondition reads If-Match.
func (x *exchange) readCondition() (entity.Code, string) {
	header := x.request.Header
	values := header["If-Match"]
	if len(header["If-None-Match"]) > 0 {
		return entity.InvalidInput, "a write has no If-None-Match"
	}
	if len(values) > 1 {
		return entity.InvalidInput, "If-Match comes twice"
	}
	var code entity.Code
	var detail string
	x.match, code, detail = wire.ParseMatch(headerOf(x.request, "If-Match"), len(values) > 0)
	return code, detail
}

// askEntity sets the engine's request for one entity. It copies the PartitionKey, since the engine keeps those with
// limits.
func (x *exchange) askEntity(verb entity.Verb, key entity.Key) {
	key.Partition = keep(&x.kept.partition, key.Partition)
	x.change = entity.Change{Verb: verb, Key: key, Match: x.match}
	if verb.IsChange() && verb != entity.Delete {
		x.change.Properties = x.entity.Properties
	}
	x.setRequest(verb, x.resource.Table)
}

// presentMade makes the reply to an insert or to the creation of a table.
func (x *exchange) presentMade() {
	isEntity := x.asked.Verb == entity.Insert
	if isEntity {
		x.addTag()
	}
	h := &x.headers
	h.text = append(append(h.text, x.rendering.Base.URL...), '/')
	if isEntity {
		h.text = wire.AppendEntityPath(h.text, x.asked.Table, x.change.Key)
	} else {
		h.text = wire.AppendTablePath(h.text, x.asked.Table)
	}
	h.close("Location")
	switch {
	case x.bare:
		x.status = 204
		location := h.entries[h.count-1]
		h.entries[h.count] = headerEntry{dataServiceIDHeader, "", location.from, location.to}
		h.count++
	case isEntity:
		x.packed = entity.Pack(x.packed[:0], x.reply.Version, x.change.Properties)
		x.output = x.rendering.AppendEntity(x.output, x.change.Key, x.packed)
	default:
		x.output = x.rendering.AppendTable(x.output, x.asked.Table)
	}
}

// tagger keeps the beginning of entity tags: most versions are in the same second as the one before.
type tagger struct {
	second entity.Ticks
	// start is the tag of the second without fraction and end.
	start string
}

// tagEnd ends a tag, after the fraction.
const tagEnd = `Z'"`

func (x *exchange) addTag() {
	version, tags, text := x.reply.Version, &x.tags, x.headers.text
	fraction := version % ticksPerSecond
	if second := version - fraction; tags.start == "" || second != tags.second {
		tags.second, tags.start = second, strings.TrimSuffix(second.ETag(), tagEnd)
	}
	text = append(text, tags.start...)
	if fraction > 0 {
		text = append(text, '.')
		for unit := ticksPerSecond / 10; fraction > 0; unit /= 10 {
			text = append(text, '0'+byte(fraction/unit))
			fraction %= unit
		}
	}
	x.headers.text = append(text, tagEnd...)
	x.headers.close(etagHeader)
}
