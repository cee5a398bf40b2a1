import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Cost } from './answers.ts'
import { session } from './session.ts'

const on = signal(sessionStorage.getItem('lineclear-live') !== 'off')
const visible = signal(!document.hidden)
const turn = signal(0)
const loading = signal(0)
const spent = signal<Cost>({ queries: 0, units: 0, receives: 0 })

document.addEventListener('visibilitychange', () => {
  visible.value = !document.hidden
})

/** Whether the page follows what happens. */
export const live: ReadonlySignal<boolean> = on
/** Pages are read again only then: a hidden tab costs nothing. */
export const isFollowing: ReadonlySignal<boolean> = computed(() => on.value && visible.value)
/** Grows with each refresh by hand: what reads it is read again. */
export const refreshes: ReadonlySignal<number> = turn
/** Answers that are on their way. */
export const pending: ReadonlySignal<number> = loading
/** What the answers have cost since this page was opened. */
export const cost: ReadonlySignal<Cost> = spent

/** How often a page is read again, milliseconds. In an account each time costs something. */
export const period: ReadonlySignal<number> = computed(() =>
  session.value?.local === true ? 1_000 : 30_000,
)

export function setLive(value: boolean): void {
  sessionStorage.setItem('lineclear-live', value ? 'on' : 'off')
  on.value = value
}

export function refresh(): void {
  turn.value += 1
}

export function resetCost(): void {
  spent.value = { queries: 0, units: 0, receives: 0 }
}

export function addCost({ queries, units, receives }: Cost): void {
  const { value } = spent
  spent.value = {
    queries: value.queries + queries,
    units: value.units + units,
    receives: value.receives + receives,
  }
}

/** Counts an answer as on its way until it has come. */
export async function during<Result>(work: Promise<Result>): Promise<Result> {
  loading.value += 1
  try {
    return await work
  } finally {
    loading.value -= 1
  }
}
