import type { Graph } from './graph.ts'

/** `GET /api/map` */
export interface MapAnswer {
  readonly map: Graph
}

export function graphOf({ map }: MapAnswer): Graph {
  return map
}
