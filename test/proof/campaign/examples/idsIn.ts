import type { LocalCloud } from '../../../../src/testing/local/index.ts'

/** The ids with this mark that the messages on a queue name. */
export function idsIn(cloud: LocalCloud, queue: string, mark: string): ReadonlySet<string> {
  const id = new RegExp(`\\b${mark}-\\d+\\b`)
  const ids = cloud.inspectQueue(queue).ready.map(({ body }) => id.exec(body)?.[0])
  return new Set(ids.filter((each) => each !== undefined))
}
