import type { Query } from '../address.ts'
import type { Move, Place } from '../stream/moves.ts'
import type { Link } from './spot.ts'

/** What the system consists of, and where messages go. */
export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly Link[]
}

export interface GraphNode {
  readonly id: string
  readonly kind: NodeKind
  readonly name: string
  /** Of a stage or a step. */
  readonly flow?: string | undefined
  /** The name of the function, where it is not that of the node. */
  readonly function?: string | undefined
}

type NodeKind = 'topic' | 'queue' | 'deadLetters' | 'consumer' | 'stage' | 'step'

/** With the sends that were seen, if the description does not have them. `sends`: the names of a function and a queue or topic. */
export function withSends(
  graph: Graph,
  sends: Iterable<{ readonly function: string; readonly to: string }>,
): Graph {
  const learnt = [...sends].flatMap((send): readonly Link[] => {
    const from = nodeAt(graph, { kind: 'function', name: send.function })
    const to = nodeAt(graph, { kind: 'target', name: send.to })
    // The edge from the queue says the same.
    if (from === undefined || to === undefined || to.kind === 'deadLetters') return []
    return hasEdge(graph, from.id, to.id) ? [] : [{ from: from.id, to: to.id }]
  })
  return learnt.length === 0 ? graph : { ...graph, edges: [...graph.edges, ...learnt] }
}

/** The edges that a move goes along, leg by leg: a topic hands on at once to all its queues. By their places in the list. */
export function legsOf(graph: Graph, { from, to }: Move): readonly (readonly number[])[] {
  const [start, end] = [nodeAt(graph, from), nodeAt(graph, to)]
  if (start === undefined || end === undefined) return []
  const direct = edgesFrom(graph, start.id, end.id)
  if (direct.length > 0) {
    return end.kind === 'topic' ? [direct, edgesFrom(graph, end.id)] : [direct]
  }
  // A dead letter is sent by the function, and drawn from its queue.
  const sources = graph.edges.filter((edge) => edge.to === start.id).map((edge) => edge.from)
  const leg = sources.flatMap((source) => edgesFrom(graph, source, end.id))
  return leg.length === 0 ? [] : [leg]
}

function nodeAt({ nodes }: Graph, { kind, name }: Place): GraphNode | undefined {
  return nodes.find((node) => {
    const isFunction = node.kind === 'consumer' || node.kind === 'stage'
    if (kind === 'function') return isFunction && (node.function ?? node.name) === name
    if (isFunction || node.kind === 'step' || node.name !== name) return false
    return kind === 'target' || node.kind !== 'topic'
  })
}

function hasEdge({ edges }: Graph, from: string, to: string): boolean {
  return edges.some((edge) => edge.from === from && edge.to === to)
}

function edgesFrom({ edges }: Graph, from: string, to?: string): readonly number[] {
  return edges.flatMap((edge, at) =>
    edge.from === from && (to === undefined || edge.to === to) ? [at] : [],
  )
}

/** The page that lists what a node stands for; undefined: there is none. */
export function listOf(
  graph: Graph,
  node: GraphNode,
): { readonly path: string; readonly query: Query } | undefined {
  const { kind, name, flow } = node
  if (kind === 'deadLetters') return { path: '/letters', query: { queue: name } }
  if (kind === 'consumer') return { path: '/tasks', query: { consumer: name } }
  if (kind === 'stage') return { path: '/tasks', query: { consumer: flow, stage: name } }
  if (kind === 'step') return { path: '/tasks', query: { consumer: flow, status: 'awaiting' } }
  if (kind === 'topic') return undefined
  const takers = graph.edges.filter(({ from }) => from === node.id).map(({ to }) => to)
  const taker = graph.nodes.find(
    (each) => takers.includes(each.id) && (each.kind === 'consumer' || each.kind === 'stage'),
  )
  return taker === undefined ? undefined : listOf(graph, taker)
}
