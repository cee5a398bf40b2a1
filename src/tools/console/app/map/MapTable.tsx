import { clock } from '../parts/Time.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Text } from '../parts/Text.tsx'
import { go, href } from '../route.ts'
import { activity, frames, useStream } from '../stream/stream.ts'
import type { Graph, GraphNode } from './graph.ts'
import { kindOf, listOf, titleOf, withSends } from './graph.ts'
import { countsOf } from './counts.ts'

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
    ...(graph.source === undefined ? liveColumns() : [OPEN]),
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

const OPEN: Column<GraphNode> = { title: 'open', as: 'number', cell: ({ open }) => open }

function liveColumns(): readonly Column<GraphNode>[] {
  return [
    ...countsOf(undefined).map(({ name }, at): Column<GraphNode> => ({
      title: name,
      as: 'number',
      cell: ({ kind, name: queue }) =>
        kind === 'queue' || kind === 'deadLetterQueue'
          ? countsOf(activity.depths.get(queue))[at]?.count
          : '',
    })),
    { title: 'running', as: 'number', from: 'middle', cell: (node) => workOf(node, running) },
    { title: 'a second', as: 'number', from: 'middle', cell: (node) => workOf(node, rate) },
  ]
}

function workOf(node: GraphNode, count: (name: string) => string | number): string | number {
  return node.kind === 'function' ? count(node.name) : ''
}

function running(name: string): number {
  return activity.running.get(name) ?? 0
}

function rate(name: string): string {
  return activity.rates.perSecond(name, clock.value).toFixed(1)
}
