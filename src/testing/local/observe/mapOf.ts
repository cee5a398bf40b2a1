import type { ConsumerDescription } from '../../registry/consumersOf.ts'
import type { CloudShape } from './event.ts'

/** A thing on the map. `id` is unique: the kind and the name. */
export interface MapNode {
  /** @example 'queue:orders' */
  readonly id: string
  /** `function`: it consumes a queue. `step`: a flow waits there for an outside system. */
  readonly kind: 'topic' | 'queue' | 'deadLetterQueue' | 'function' | 'step'
  readonly name: string
  /** The flow and the stage of a function, or the flow of a step. */
  readonly flow?: string
  readonly stage?: string
  /** The consumers that a function runs. */
  readonly consumers?: readonly string[]
}

/** From one node to another. */
export interface MapEdge {
  readonly from: string
  readonly to: string
  /**
   * `delivers`: from a topic to a queue, or from a queue to its function. `sends`: messages of a function, as its flow says, or as they
   * were seen. `deadLetters`: from a queue to its dead-letter queue. `waits`: from a stage to a step. `answers`: from a step to its queue.
   */
  readonly kind: 'delivers' | 'sends' | 'deadLetters' | 'waits' | 'answers'
}

/** What `mapOf` draws. */
export interface SystemMap {
  readonly nodes: readonly MapNode[]
  readonly edges: readonly MapEdge[]
}

/** A function, the queue that it reads, and what it is made of. */
export interface MappedFunction {
  readonly name: string
  readonly queue: string
  /** As `consumersOf` describes its handler; empty for a handler of another make. */
  readonly consumers: readonly ConsumerDescription[]
}

/** What was seen to be sent: by a function, to a queue or topic. Live events `call` show it, with `to` and `action`. */
export interface SeenSend {
  readonly function: string
  readonly to: string
  /** It was published: a queue may have the name of a topic. Default false: `to` is the queue of that name, or else the topic. */
  readonly topic?: boolean
}

/**
 * Draws the map of a system: from what its cloud consists of, what reads its queues, and what was seen. Only computes; the same
 * input gives the same order.
 * @example
 * const cloud = { queues: { orders: {} }, topics: { placed: { queues: ['orders'] } }, tables: [] }
 * const { nodes, edges } = mapOf(cloud, [{ name: 'take-orders', queue: 'orders', consumers: [] }])
 */
export function mapOf(
  cloud: CloudShape,
  functions: readonly MappedFunction[],
  seen: readonly SeenSend[] = [],
): SystemMap {
  const places = placesOf(cloud, functions)
  const edges = [
    ...Object.entries(cloud.topics).flatMap(([topic, { queues }]) =>
      queues.map((queue) => edge('delivers', `topic:${topic}`, places.idOf(queue))),
    ),
    ...Object.entries(cloud.queues).flatMap(([queue, { deadLetter }]) =>
      deadLetter === undefined
        ? []
        : [edge('deadLetters', places.idOf(queue), places.idOf(deadLetter))],
    ),
    ...functions.flatMap((one) => edgesOf(one, places)),
    ...seen.map(({ function: name, to, topic = false }) =>
      edge('sends', `function:${name}`, topic ? `topic:${to}` : places.idOf(to)),
    ),
  ]
  const nodes = [
    ...places.nodes,
    ...functions.map(functionNode),
    ...stepNodes(functions.flatMap(({ consumers }) => consumers)),
  ]
  const known = new Set(nodes.map(({ id }) => id))
  const drawn = edges.filter(({ from, to }) => known.has(from) && known.has(to))
  return { nodes, edges: unique(drawn, ({ from, to }) => `${from} ${to}`) }
}

interface Places {
  readonly nodes: readonly MapNode[]
  /** The node of a queue, or else of a topic, by its name. */
  idOf(name: string): string
}

/** A queue that a function reads is no mere dead-letter queue, even if dead letters come to it. */
function placesOf({ queues, topics }: CloudShape, functions: readonly MappedFunction[]): Places {
  const read = new Set(functions.map(({ queue }) => queue))
  const targets = Object.values(queues).flatMap(({ deadLetter }) => deadLetter ?? [])
  const declared = functions.flatMap(({ consumers }) =>
    consumers.flatMap(({ deadLetterQueue }) => deadLetterQueue ?? []),
  )
  const dead = new Set([...targets, ...declared].filter((queue) => !read.has(queue)))
  const nodes: readonly MapNode[] = [
    ...Object.keys(topics).map((name) => node('topic', name)),
    ...Object.keys(queues).map((name) => node(dead.has(name) ? 'deadLetterQueue' : 'queue', name)),
  ]
  const ids = new Map(nodes.map(({ id, name }) => [name, id]))
  return { nodes, idOf: (name) => ids.get(name) ?? `topic:${name}` }
}

function edgesOf({ name, queue, consumers }: MappedFunction, { idOf }: Places): MapEdge[] {
  const id = `function:${name}`
  return [
    edge('delivers', idOf(queue), id),
    ...consumers.flatMap(({ sendsTo, flow, kind, deadLetterQueue }) => [
      ...sendsTo.map((to) => edge('sends', id, idOf(to))),
      ...(deadLetterQueue === undefined
        ? []
        : [edge('deadLetters', idOf(queue), idOf(deadLetterQueue))]),
      ...(flow?.steps ?? []).flatMap((step) => {
        const stepId = `step:${flow?.name}/${step.name}`
        const answers = step.queue === undefined ? [] : [edge('answers', stepId, idOf(step.queue))]
        // Which stage asks is known only when it runs; a last one has nothing to wait for.
        const asks = kind === 'stage' && !isFinal(flow)
        return asks ? [edge('waits', id, stepId), ...answers] : answers
      }),
    ]),
  ]
}

function isFinal(flow: ConsumerDescription['flow']): boolean {
  return flow?.stages.find(({ name }) => name === flow.part)?.final === true
}

function functionNode({ name, consumers }: MappedFunction): MapNode {
  const flow = consumers[0]?.flow
  return {
    ...node('function', name),
    ...(flow !== undefined && { flow: flow.name, stage: flow.part }),
    consumers: consumers.map((consumer) => consumer.name),
  }
}

function stepNodes(consumers: readonly ConsumerDescription[]): readonly MapNode[] {
  const steps = consumers.flatMap(({ flow }) =>
    (flow?.steps ?? []).map(({ name }): MapNode => {
      const of = flow?.name ?? ''
      return { id: `step:${of}/${name}`, kind: 'step', name, flow: of }
    }),
  )
  return unique(steps, ({ id }) => id)
}

function node(kind: MapNode['kind'], name: string): MapNode {
  return { id: `${kind}:${name}`, kind, name }
}

function edge(kind: MapEdge['kind'], from: string, to: string): MapEdge {
  return { from, to, kind }
}

/** The first of each. */
function unique<T>(items: readonly T[], idOf: (item: T) => string): readonly T[] {
  const ids = items.map(idOf)
  return items.filter((_, at) => ids.indexOf(ids[at] ?? '') === at)
}
