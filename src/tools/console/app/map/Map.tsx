import { useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useWidth } from '../parts/useWidth.ts'
import { activity, clearMoves, frames, useStream } from '../stream/stream.ts'
import { type Dots, newDots, ON_THE_WAY } from './dots.ts'
import { type Graph, type GraphNode, kindOf, legsOf, titleOf, withSends } from './graph.ts'
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
  const [box, width] = useWidth<HTMLDivElement>()
  // Read so that the counts follow the stream.
  void frames.value
  const sent = activity.sends.size
  const graph = useMemo(() => withSends(described, activity.sends.values()), [described, sent])
  const wide = widthOf(graph.nodes)
  const room = Math.max(wide, width - 2 * PADDING)
  const placed = useMemo(() => layOut(boxesOf(graph, wide), graph.edges, room), [graph, wide, room])
  useDots(graph, box, layer)
  const nodes = graph.nodes
    .map((node) => ({ node, at: placed.boxes.get(node.id) ?? { x: 0, y: 0 } }))
    .toSorted((one, other) => one.at.x - other.at.x || one.at.y - other.at.y)
  const size = { width: placed.width, height: placed.height }
  return (
    <div class="map" ref={box} role="group" aria-label="Map of queues and consumers" tabIndex={0}>
      <div class="map-plane" style={sizeOf(size)}>
        <svg {...size} viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
          {placed.arrows.map((arrow, at) => {
            const { from = '', to = '' } = graph.edges[at] ?? {}
            const isFar = reached !== undefined && !(reached.has(from) && reached.has(to))
            return (
              arrow !== undefined && (
                <g key={`${from} ${to}`} class={isFar ? 'edge far' : 'edge'}>
                  <path class="line" data-edge={at} d={arrow.line} />
                  <path class="head" d={arrow.head} />
                </g>
              )
            )
          })}
          <g ref={layer} />
        </svg>
        <ul>
          {nodes.map(({ node, at }) => (
            <li
              key={node.id}
              style={{
                ...sizeOf({ width: wide, height: HEIGHT }),
                left: `${at.x}px`,
                top: `${at.y}px`,
              }}
            >
              <MapNode graph={graph} node={node} isFar={reached?.has(node.id) === false} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

/** Of the canvas, and of a box. Pixels. */
const PADDING = 14
const HEIGHT = 50
const LEAST = 170
const MOST = 240

/** All boxes of a map are as wide as the longest name needs, up to a limit: names often differ at their end only. */
function widthOf(nodes: readonly GraphNode[]): number {
  const needed = nodes.map((node) => 34 + titleOf(node).length * 7.4 + kindOf(node).length * 6.6)
  return Math.min(MOST, Math.round(Math.max(LEAST, ...needed)))
}

function sizeOf({ width, height }: { readonly width: number; readonly height: number }) {
  return { width: `${width}px`, height: `${height}px` }
}

/** Where a circle has no beginning, it is drawn from a queue. */
const FIRST = ['topic', 'queue', 'function', 'step', 'deadLetterQueue']

function boxesOf({ nodes }: Graph, width: number) {
  return nodes
    .toSorted((one, other) => FIRST.indexOf(one.kind) - FIRST.indexOf(other.kind))
    .map(({ id }) => ({ id, width, height: HEIGHT }))
}

/** What the server has kept of earlier comes at once, and moves nothing now. Milliseconds. */
const NEW = 2_000

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
    const since = Date.now() - NEW
    for (const move of moves.filter(({ at }) => at >= since)) {
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
