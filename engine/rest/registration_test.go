package rest_test

import (
	"fmt"
	"strings"
)

// marathon is the partition of the registrations in an address, marathonPage a query of it.
const (
	marathon     = "2011%20New%20York%20City%20Marathon__Full"
	marathonPage = races + "()?$filter=PartitionKey%20eq%20'" + marathon + "'"
)

// registration is an entity of about a kilobyte.
func registration(row int) string {
	return fmt.Sprintf(`{"PartitionKey":"2011 New York City Marathon__Full","RowKey":"%08d__Kim__F__37","Name":"Kim",`+
		`"Number":%d,"Fee":255.0,"Paid@odata.type":"Edm.Int64","Paid":"9007199254740993","Fast":true,`+
		`"Born@odata.type":"Edm.DateTime","Born":"1974-05-01T00:00:00Z","Notes":"%s"}`, row, row, strings.Repeat("n", 700))
}
