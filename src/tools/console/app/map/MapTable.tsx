import { type Column, Table } from '../parts/Table.tsx'
import { Text } from '../parts/Text.tsx'
import { go, href } from '../route.ts'
import { activity, frames, useStream } from '../stream/stream.ts'
import { type Graph, type GraphNode, kindOf, listOf, titleOf, withSends } from './graph.ts'
import { useNotes } from './MapNode.tsx'

/** The map in rows. */
export function MapTable({ graph: described }: { readonly graph: Graph }) {
  useStream()
  void frames.value
  const graph = withSends(described, activity.sends.values())
  return (
    <Table
      label="Queues and consumers"
      columns={columnsOf(graph)}
      rows={graph.nodes}
      keyOf={({ id }) => id}
      open={(node) => {
        const list = listOf(graph, node)
        if (list !== undefined) go(list.path, list.query)
      }}
    />
  )
}

function columnsOf(graph: Graph): readonly Column<GraphNode>[] {
  return [
    {
      title: 'Name',
      as: 'main',
      cell: (node) => {
        const list = listOf(graph, node)
        const name = <Text of={titleOf(node)} />
        return list === undefined ? name : <a href={href(list.path, list.query)}>{name}</a>
      },
    },
    { title: 'Kind', cell: kindOf },
    { title: 'Now', cell: (node) => <Notes of={node} /> },
    {
      title: 'Leads to',
      from: 'wide',
      cell: ({ id }) => {
        const targets = graph.edges.filter(({ from }) => from === id).map(({ to }) => to)
        const names = graph.nodes.filter((node) => targets.includes(node.id)).map(titleOf)
        return <Text of={names.join(', ')} />
      },
    },
  ]
}

function Notes({ of }: { readonly of: GraphNode }) {
  return (
    <>
      {useNotes(of).map(({ text, tone, glyph }) => (
        <span key={text} class={`tone-${tone}`}>
          {glyph !== undefined && <span aria-hidden="true">{glyph} </span>}
          {text}{' '}
        </span>
      ))}
    </>
  )
}
