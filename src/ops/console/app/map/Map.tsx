import { useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { activity, clearMoves, frames, useStream } from '../stream/stream.ts'
import { type Dots, newDots, ON_THE_WAY } from './dots.ts'
import { type Graph, type GraphNode, legsOf, withSends } from './graph.ts'
import { layOut } from './layout.ts'
import { MapNode } from './MapNode.tsx'

interface MapProps {
  readonly graph: Graph
  /** The ids of nodes that a request has come to: all others are grey. Default: none is. */
  readonly reached?: ReadonlySet<string> | undefined
}

/** Where messages go, and how many wait where. A dot is a message that has moved. */
export function Map({ graph: described, reached }: MapProps) {
  useStream()
  const layer = useRef<SVGGElement>(null)
  const box = useRef<HTMLDivElement>(null)
  // Read so that the counts follow the stream.
  void frames.value
  const sent = activity.sends.size
  const graph = useMemo(() => withSends(described, activity.sends.values()), [described, sent])
  const placed = useMemo(() => layOut(graph.nodes.map(boxOf), graph.edges), [graph])
  useDots(graph, box, layer)
  const nodes = graph.nodes
    .map((node) => ({ node, at: placed.boxes.get(node.id) ?? { x: 0, y: 0 } }))
    .toSorted((one, other) => one.at.x - other.at.x || one.at.y - other.at.y)
  const size = { width: placed.width, height: placed.height }
  return (
    <div class="map" ref={box} role="group" aria-label="Map of queues and consumers" tabIndex={0}>
      <div class="map-plane" style={size}>
        <svg {...size} viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
              <path class="arrow" d="M0 1 7 4 0 7Z" />
            </marker>
          </defs>
          {placed.paths.map((path, at) => {
            const { from = '', to = '' } = graph.edges[at] ?? {}
            const isFar = reached !== undefined && !(reached.has(from) && reached.has(to))
            return (
              <path
                key={`${from} ${to}`}
                class={isFar ? 'edge far' : 'edge'}
                data-edge={at}
                d={path}
                marker-end="url(#arrow)"
              />
            )
          })}
          <g ref={layer} />
        </svg>
        <ul>
          {nodes.map(({ node, at }) => (
            <li key={node.id} style={{ left: at.x, top: at.y, ...boxOf(node) }}>
              <MapNode graph={graph} node={node} isFar={reached?.has(node.id) === false} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

const WIDTH = 172
/** Queues have a line for their counts. */
const HEIGHTS = { topic: 34, queue: 66, deadLetters: 50, consumer: 50, stage: 50, step: 50 }

function boxOf({ id, kind }: GraphNode) {
  return { id, width: WIDTH, height: HEIGHTS[kind] }
}

/** Starts a dot for each message that has moved since the last picture. */
function useDots(
  graph: Graph,
  box: { readonly current: HTMLElement | null },
  layer: { readonly current: SVGGElement | null },
): void {
  const dots = useRef<Dots>(undefined)
  const now = useRef(graph)
  now.current = graph
  useEffect(() => {
    const { current } = layer
    if (current !== null) dots.current = newDots(current)
    // What moved before it was shown is over.
    clearMoves()
    return () => dots.current?.stop()
  }, [])
  useSignalEffect(() => {
    void frames.value
    const moves = activity.takeMoves()
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
    for (const move of moves) {
      for (const [leg, edges] of legsOf(now.current, move).entries()) {
        for (const edge of edges) {
          const path = box.current?.querySelector<SVGPathElement>(`path[data-edge="${edge}"]`)
          if (path !== null && path !== undefined) {
            dots.current?.run(path, move.count, leg * ON_THE_WAY)
          }
        }
      }
    }
  })
}
