import type { DevSample } from '../../dev/types.ts'

export function sampleText({ payload }: DevSample): string {
  return JSON.stringify(payload === undefined ? {} : payload, undefined, 2)
}

/** Where something can be sent to. A topic with the name of a queue is reached by the queue: the name alone means the queue. */
export function targetsOf(samples: readonly DevSample[]): readonly DevSample[] {
  const queues = new Set(samples.filter(({ kind }) => kind === 'queue').map(({ to }) => to))
  return samples.filter(({ kind, to }) => kind === 'queue' || !queues.has(to))
}
