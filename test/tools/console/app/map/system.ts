import type { Graph, GraphNode } from '../../../../../src/tools/console/app/map/graph.ts'

function node(kind: GraphNode['kind'], name: string, more: Partial<GraphNode> = {}): GraphNode {
  return { id: `${kind}:${name}`, kind, name, ...more }
}

/** Orders by a topic, paid by a topic to two queues; a flow of two stages with a step between. */
export const system: Graph = {
  nodes: [
    node('topic', 'orders'),
    node('queue', 'orders'),
    node('function', 'worker', { consumers: ['orders'] }),
    node('deadLetterQueue', 'orders-dead'),
    node('topic', 'paid'),
    node('queue', 'paid'),
    node('queue', 'mails'),
    node('queue', 'validate'),
    node('function', 'validate', { flow: 'checkout', stage: 'validate' }),
    node('step', 'found', { flow: 'checkout' }),
    node('queue', 'charge'),
    node('function', 'charge', { flow: 'checkout', stage: 'charge' }),
  ],
  edges: [
    { from: 'topic:orders', to: 'queue:orders' },
    { from: 'queue:orders', to: 'function:worker' },
    { from: 'queue:orders', to: 'deadLetterQueue:orders-dead' },
    { from: 'function:worker', to: 'topic:paid' },
    { from: 'topic:paid', to: 'queue:paid' },
    { from: 'topic:paid', to: 'queue:mails' },
    { from: 'queue:validate', to: 'function:validate' },
    { from: 'function:validate', to: 'step:found' },
    { from: 'step:found', to: 'queue:charge' },
    { from: 'queue:charge', to: 'function:charge' },
  ],
}
