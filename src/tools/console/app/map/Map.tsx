import { useMemo } from 'preact/hooks'
import { useWidth } from '../parts/useWidth.ts'
import { activity, frames, useStream } from '../stream/stream.ts'
import { type Graph, type GraphNode, kindOf, titleOf, withSends, graphOf } from './graph.ts'
import { layOut } from './layout.ts'
import { MapNode } from './MapNode.tsx'
import { type ApiError, session } from '../api.ts'
import { useQueues, useOpen } from '../counts.ts'
import { useAnswer } from '../useAnswer.ts'

/** Nothing, as long as nothing can be drawn. */
export function MapPart() {
  const { graph } = useGraph()
  return graph === undefined || graph.nodes.length === 0 ? null : <Map graph={graph} />
}

/** Where messages go, and how many wait where. */
export function Map({ graph: described }: { readonly graph: Graph }) {
  useStream()
  const [box, width] = useWidth<HTMLDivElement>()
  // Read so that the counts follow the stream.
  void frames.value
  const sent = activity.sends.size
  const graph = useMemo(() => withSends(described, activity.sends.values()), [described, sent])
  const wide = widthOf(graph.nodes)
  const room = Math.max(wide, width - 2 * PADDING)
  const placed = useMemo(() => layOut(boxesOf(graph, wide), graph.edges, room), [graph, wide, room])
  const nodes = graph.nodes
    .map((node) => ({ node, at: placed.boxes.get(node.id) ?? { x: 0, y: 0 } }))
    .toSorted((one, other) => one.at.x - other.at.x || one.at.y - other.at.y)
  const size = { width: placed.width, height: placed.height }
  return (
    <div class="map" ref={box} role="group" aria-label="Map of queues and consumers" tabIndex={0}>
      <div class="map-plane" style={sizeOf(size)}>
        <svg {...size} viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
          {placed.arrows.map(
            (arrow, at) =>
              arrow !== undefined && (
                <g key={at} class="edge">
                  <path class="line" d={arrow.line} />
                  <path class="head" d={arrow.head} />
                </g>
              ),
          )}
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
              <MapNode graph={graph} node={node} />
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

interface Drawn {
  /** undefined: it is not known yet. The same one until something in it changes: to place its boxes takes time. */
  readonly graph: Graph | undefined
  readonly failure: ApiError | undefined
}

/** The map: of the events of a local cloud, else of what the table and the queues show. */
export function useGraph(): Drawn {
  const isLive = session.value?.live === true
  const live = useAnswer<Graph>('map', isLive ? {} : undefined)
  const stats = useOpen()
  const queues = useQueues()
  const known =
    stats.answer === undefined || (queues.answer ?? queues.failure) === undefined
      ? undefined
      : graphOf(stats.answer.counts, queues.answer?.queues ?? [])
  const graph = isLive ? live.answer : known
  const key = JSON.stringify([graph?.nodes, graph?.edges])
  return {
    graph: useMemo(() => graph, [key]),
    failure: isLive ? live.failure : (stats.failure ?? queues.failure),
  }
}
