// Package target says what a run judges: where the gateway is, with which
// keys, what it offers, and who plays its model server.
//
// The answers come from three sources, the later ones winning: the file
// plumbline.yaml, environment variables (PLUMBLINE_…), and flags. One table,
// [Settings], names each setting in all three. [Load] reads them, checks them
// together and lists every problem at once, each with the place where it
// stands and what would be right:
//
//	target: https://gateway.example/v1
//	profile: mortar
//	keys:
//	  key: {env: GATEWAY_KEY}
//	  org2: {env: OTHER_ORGANIZATION_KEY}
//	modelServer: 127.0.0.1:9000
//	reports: [pretty, "junit:out/plumbline.xml"]
//
// A [Baseline] is the list of rows that are known to fail.
package target
