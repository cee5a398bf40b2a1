import * as dagre from '@dagrejs/dagre'

/** A box to place. Pixels. */
export interface Box {
  readonly id: string
  readonly width: number
  readonly height: number
}

export interface Link {
  readonly from: string
  readonly to: string
}

interface Point {
  readonly x: number
  readonly y: number
}

/** What is used of dagre: its own declarations name their files as NodeNext cannot resolve them. */
interface Graph {
  setGraph(label: object): void
  setDefaultEdgeLabel(label: () => object): void
  setNode(id: string, size: Omit<Box, 'id'>): void
  setEdge(from: string, to: string): void
  /** The middle of a box. */
  node(id: string): Point
  edge(from: string, to: string): { readonly points: readonly Point[] }
  graph(): Partial<Omit<Box, 'id'>>
}

const { Graph: NewGraph, layout } = dagre as unknown as {
  readonly Graph: new () => Graph
  readonly layout: (graph: Graph) => void
}

/** Paths, as SVG writes them. */
interface Arrow {
  readonly line: string
  readonly head: string
}

export interface Placed {
  readonly width: number
  readonly height: number
  /** The upper left corner of each box. */
  readonly boxes: ReadonlyMap<string, Point>
  /** By the places of the links in their list; undefined: an end of it is not there. */
  readonly arrows: readonly (Arrow | undefined)[]
}

/** Between the boxes of a rank, and between ranks. Pixels. */
const GAP = 18
const RANK_GAP = 52
/** Farther apart, boxes are not seen to belong together. */
const WIDEST_GAP = 150
/** Between parts that are not linked. */
const PART_GAP = 40
/** Below it there is no room for two boxes beside each other. */
const NARROW = 520

/**
 * Places boxes so that links lead to the right, on a narrow canvas downwards, with few crossings. Parts that are not linked stand beside
 * each other as far as there is room, and a single one fills it.
 * @param room width of the canvas, pixels
 */
export function layOut(boxes: readonly Box[], links: readonly Link[], room: number): Placed {
  const known = new Set(boxes.map(({ id }) => id))
  const sound = links.filter(({ from, to }) => from !== to && known.has(from) && known.has(to))
  const parts = partsOf(boxes, sound)
  const isDown = room < NARROW
  const shelf = newShelf(room)
  const corners = new Map<string, Point>()
  const arrows = new Map<Link, Arrow>()
  for (const part of parts) {
    const own = sound.filter(({ from }) => part.some(({ id }) => id === from))
    const drawn = placed(part, own, { isDown, room: parts.length === 1 ? room : 0 })
    const at = shelf.put(drawn)
    for (const { id, width, height } of part) {
      const { x, y } = drawn.centerOf(id)
      corners.set(id, { x: at.x + x - width / 2, y: at.y + y - height / 2 })
    }
    for (const link of own) {
      const points = drawn.pointsOf(link).map(({ x, y }) => ({ x: at.x + x, y: at.y + y }))
      arrows.set(link, arrowOf(points, isDown))
    }
  }
  return {
    ...shelf.size(),
    boxes: corners,
    arrows: links.map((link) => arrows.get(link)),
  }
}

/** Boxes that are linked, however far. */
function partsOf(boxes: readonly Box[], links: readonly Link[]): readonly (readonly Box[])[] {
  const seen = new Set<string>()
  return boxes.flatMap((first) => {
    if (seen.has(first.id)) return []
    const part = new Set([first.id])
    for (const id of part) {
      for (const { from, to } of links) {
        if (from === id) part.add(to)
        if (to === id) part.add(from)
      }
    }
    for (const id of part) seen.add(id)
    return [boxes.filter(({ id }) => part.has(id))]
  })
}

/** Rows from left to right, each as high as its highest part. */
function newShelf(room: number) {
  let [x, y, bottom, right] = [0, 0, 0, 0]
  return {
    put: ({ width, height }: Omit<Box, 'id'>): Point => {
      if (x > 0 && x + width > room) [x, y] = [0, bottom + GAP]
      const at = { x, y }
      x += width + PART_GAP
      right = Math.max(right, at.x + width)
      bottom = Math.max(bottom, y + height)
      return at
    },
    size: () => ({ width: right, height: bottom }),
  }
}

interface Canvas {
  readonly isDown: boolean
  /** To be filled. Pixels. */
  readonly room: number
}

/** Dagre lays out one part. If the canvas has room left, it lays it out again with wider gaps. */
function placed(boxes: readonly Box[], links: readonly Link[], { isDown, room }: Canvas) {
  const graph = dagreOf(boxes, links, { isDown, gap: RANK_GAP })
  const ranks = new Set(boxes.map(({ id }) => graph.node(id).x)).size
  const wider = RANK_GAP + Math.floor((room - sizeOf(graph).width) / Math.max(1, ranks - 1))
  const drawn =
    isDown || ranks === 1 || wider <= RANK_GAP
      ? graph
      : dagreOf(boxes, links, { isDown, gap: Math.min(wider, WIDEST_GAP) })
  const centerOf = (id: string): Point => drawn.node(id)
  const sideOf = (id: string, side: 1 | -1): Point => {
    const { x, y } = centerOf(id)
    const { width = 0, height = 0 } = boxes.find((box) => box.id === id) ?? {}
    return isDown ? { x, y: y + (side * height) / 2 } : { x: x + (side * width) / 2, y }
  }
  return {
    ...sizeOf(drawn),
    centerOf,
    pointsOf: ({ from, to }: Link): readonly Point[] => {
      const edge = drawn.edge(from, to)
      const axis = isDown ? 'y' : 'x'
      // What leads back keeps the sides that dagre gives it.
      if (centerOf(from)[axis] >= centerOf(to)[axis]) return edge.points
      return [sideOf(from, 1), ...edge.points.slice(1, -1), sideOf(to, -1)]
    },
  }
}

function dagreOf(
  boxes: readonly Box[],
  links: readonly Link[],
  { isDown, gap }: { readonly isDown: boolean; readonly gap: number },
): Graph {
  const graph = new NewGraph()
  const rankdir = isDown ? 'TB' : 'LR'
  graph.setGraph({ rankdir, nodesep: GAP, edgesep: GAP / 2, ranksep: gap })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height })
  for (const { from, to } of links) graph.setEdge(from, to)
  layout(graph)
  return graph
}

function sizeOf(graph: Graph): Omit<Box, 'id'> {
  const { width = 0, height = 0 } = graph.graph()
  return { width, height }
}

/** A line that leaves and enters boxes at right angles. */
function arrowOf(points: readonly Point[], isDown: boolean): Arrow {
  const [start = { x: 0, y: 0 }, ...rest] = points
  let at = start
  const parts = rest.map((next) => {
    const bend = isDown
      ? `${at.x} ${(at.y + next.y) / 2} ${next.x} ${(at.y + next.y) / 2}`
      : `${(at.x + next.x) / 2} ${at.y} ${(at.x + next.x) / 2} ${next.y}`
    const before = at
    at = next
    return { before, path: `C${bend} ${next.x} ${next.y}` }
  })
  const before = parts.at(-1)?.before ?? start
  const forward = isDown ? at.y >= before.y : at.x >= before.x
  const back = forward ? -7 : 7
  const head = isDown ? `l-3.5 ${back}h7z` : `l${back} -3.5v7z`
  return {
    line: `M${start.x} ${start.y}${parts.map(({ path }) => path).join('')}`,
    head: `M${at.x} ${at.y}${head}`,
  }
}
