package rest

import (
	"strings"

	"loadgen/engine/entity"
)

// rights is what a shared access signature has to allow for an operation.
type rights struct {
	// types are resource types: s for the service, c for its tables, o for entities. An account's signature must include
	// one of them. No signature allows an operation without types.
	types string
	// A signature must have one of the permissions in any, and every permission in all.
	any, all string
}

// verbRights is what each verb of a table's entities needs, indexed by the verb. The documents count a query as an
// operation on entities, emulators as one on the table; a signature for either is accepted. An upsert needs the rights
// to add and to update.
var verbRights = [...]rights{
	entity.Query:           {types: "co", any: "r"},
	entity.Get:             {types: "o", any: "r"},
	entity.Insert:          {types: "o", any: "a"},
	entity.Replace:         {types: "o", any: "u"},
	entity.Merge:           {types: "o", any: "u"},
	entity.InsertOrReplace: {types: "o", all: "au"},
	entity.InsertOrMerge:   {types: "o", all: "au"},
	entity.Delete:          {types: "o", any: "d"},
}

// permit returns OK if the signature allows the operation, as far as path and headers determine it.
func (x *exchange) permit() (entity.Code, string) {
	if x.access.given == nil {
		return entity.OK, ""
	}
	needs := x.operation.needs
	if x.operation.upsert != 0 && len(x.request.Header["If-Match"]) == 0 {
		needs = verbRights[x.operation.upsert]
	}
	// What is on no entities cannot be allowed by a table's signature.
	if needs.types == "" || x.access.given.ForTable() && !strings.Contains(needs.types, "o") {
		return entity.AuthorizationFailure, "no shared access signature of this kind allows this operation"
	}
	if code := x.allows(&needs); code != entity.OK {
		return code, ""
	}
	if x.resource.Table == "" {
		return entity.OK, "" // A transaction names its table later.
	}
	return x.permitTable(x.resource.Table)
}

// allows returns OK where the signature's resource types and permissions are
// those that are needed.
func (x *exchange) allows(needs *rights) entity.Code {
	given, permissions := x.access.given, x.access.permissions
	if !given.ForTable() && !strings.ContainsAny(given.ResourceTypes, needs.types) {
		return entity.AuthorizationResourceType
	}
	if needs.any != "" && !strings.ContainsAny(permissions, needs.any) {
		return entity.AuthorizationPermission
	}
	for i := range len(needs.all) {
		if strings.IndexByte(permissions, needs.all[i]) < 0 {
			return entity.AuthorizationPermission
		}
	}
	return entity.OK
}

// permitTable checks that a table's signature is for this one.
func (x *exchange) permitTable(table string) (entity.Code, string) {
	if given := x.access.given; given.ForTable() && !strings.EqualFold(given.Table, table) {
		return entity.AuthorizationFailure, "the signature is for another table"
	}
	return entity.OK, ""
}

// permitKeys checks keys in the body, of inserts and transactions. It does not reject queries, which are limited to
// the range of keys.
func (x *exchange) permitKeys() (entity.Code, string) {
	if x.access.given == nil {
		return entity.OK, ""
	}
	switch x.asked.Verb {
	case 0, entity.CreateTable, entity.DeleteTable, entity.Query:
		return entity.OK, ""
	case entity.Batch:
		for i := range x.asked.Changes {
			if code, detail := x.permitChange(&x.asked.Changes[i]); code != entity.OK {
				x.reply.FailedIndex = i
				return code, detail
			}
		}
		return entity.OK, ""
	}
	return x.permitChange(&x.change)
}

func (x *exchange) permitChange(c *entity.Change) (entity.Code, string) {
	if code := x.allows(&verbRights[c.Verb]); code != entity.OK {
		return code, ""
	}
	if code, detail := x.permitTable(x.asked.Table); code != entity.OK {
		return code, detail
	}
	if !x.access.within.Contains(c.Key) {
		return entity.AuthorizationFailure, "the key is outside the signature's range"
	}
	return entity.OK, ""
}
