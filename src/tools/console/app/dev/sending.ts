import { type ReadonlySignal, signal } from '@preact/signals'
import type { DevSent, SendAnswer, SendBody } from '../../dev/index.ts'
import { tellDev } from './devState.ts'

const newest = signal<readonly DevSent[]>([])

/** What this page has sent last. */
export const lastSent: ReadonlySignal<readonly DevSent[]> = newest

/** @throws ApiError */
export async function send(body: SendBody): Promise<void> {
  const { sent } = await tellDev<SendAnswer>('/api/dev/send', body)
  newest.value = sent
}
