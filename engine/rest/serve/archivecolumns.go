package serve

import (
	"fmt"
	"strings"

	"loadgen/engine/entity"
)

// maxColumns bounds a table of CSV: a thousand entities alike have one set of
// columns, but names that are data would have one each.
const maxColumns = 4096

// column is what a column of CSV holds.
type column struct {
	is columnKind
	// name and edm are of a property.
	name string
	edm  entity.Type
	// typedAt is the column that has the type of each row, counted from 1, 0 for none.
	typedAt int
}

type columnKind uint8

const (
	propertyColumn columnKind = iota
	tableColumn
	partitionColumn
	rowColumn
	// typeColumn holds the type of a property of the same name.
	typeColumn
	// passedColumn is one that means nothing here.
	passedColumn
)

// The headings of the columns that every archive has.
const (
	tableHeading     = "Table"
	partitionHeading = "PartitionKey"
	rowHeading       = "RowKey"
)

// timestampName is the one system property that a reader passes over: it comes
// in what other tools write.
const timestampName = "Timestamp"

// typeMark ends the heading of a column of types, as Storage Explorer writes it.
const typeMark = "type"

const aHeader = "Table,PartitionKey,RowKey,Name@Edm.String,Fee@Edm.Int32"

// columnOf returns what a heading announces: NAME@Edm.TYPE a property, NAME alone
// one of texts.
func columnOf(heading string) (column, error) {
	switch heading {
	case tableHeading:
		return column{is: tableColumn}, nil
	case partitionHeading:
		return column{is: partitionColumn}, nil
	case rowHeading:
		return column{is: rowColumn}, nil
	}
	name, spelled := heading, ""
	if at := strings.LastIndexByte(heading, '@'); at >= 0 {
		name, spelled = heading[:at], heading[at+1:]
	}
	edm, known := entity.ParseType(spelled)
	switch {
	case name == timestampName, spelled == typeMark && (name == partitionHeading || name == rowHeading):
		return column{is: passedColumn}, nil
	case spelled == typeMark:
		return column{is: typeColumn, name: name}, nil
	case spelled == "":
		edm = entity.TypeString
	case !known:
		return column{}, fmt.Errorf("the column %.60q: expected NAME@Edm.TYPE, such as Fee@Edm.Int32", heading)
	}
	probe := ArchiveRecord{Table: tableHeading, HasEntity: true, Properties: []entity.Property{{Name: name, Value: entity.Boolean(true)}}}
	if err := probe.check(); err != nil {
		return column{}, fmt.Errorf("the column %.60q: %w", heading, err)
	}
	return column{name: name, edm: edm}, nil
}
