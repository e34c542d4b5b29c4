package wire_test

import (
	"fmt"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// A client writes a runner; the server reads the body, stores the entity and
// shows it; the client reads it back, with every type as it was.
func ExampleRendering() {
	sent := wire.AppendEntityBody(nil, entity.Key{Partition: "Full", Row: "1234"}, []entity.Property{
		{Name: "Name", Value: entity.String("Kim")},
		{Name: "Chip", Value: entity.Int64(5_432_873_627_392)},
		{Name: "Fee", Value: entity.Double(80)},
	})
	fmt.Println(string(sent))

	var body wire.EntityBody
	if code, detail := body.Parse(string(sent)); code != entity.OK {
		fmt.Println(code, detail)
		return
	}
	stored := entity.Pack(nil, 639_290_000_000_000_000, body.Properties)
	shown := wire.Rendering{Base: wire.Base{URL: "http://127.0.0.1:10002/races", Account: "races"}, Table: "Runners"}
	reply := shown.AppendEntity(nil, body.Key, stored)
	fmt.Println(string(reply))

	row, err := wire.ParseEntity(string(reply))
	if err != nil {
		fmt.Println(err)
		return
	}
	fee, _ := row.Entity.Lookup("Fee")
	fmt.Println(row.Key, fee.Type(), fee.Float(), row.Entity.Timestamp() == stored.Timestamp())
	// Output:
	// {"PartitionKey":"Full","RowKey":"1234","Name":"Kim","Chip@odata.type":"Edm.Int64","Chip":"5432873627392","Fee":80.0}
	// {"odata.metadata":"http://127.0.0.1:10002/races/$metadata#Runners/@Element","odata.etag":"W/\"datetime'2026-10-30T23%3A33%3A20Z'\"","PartitionKey":"Full","RowKey":"1234","Timestamp":"2026-10-30T23:33:20Z","Name":"Kim","Chip@odata.type":"Edm.Int64","Chip":"5432873627392","Fee":80.0}
	// {Full 1234} Edm.Double 80 true
}
