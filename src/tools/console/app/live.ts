import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { session } from './api.ts'

const on = signal(sessionStorage.getItem('lineclear-live') !== 'off')
const visible = signal(!document.hidden)
const turn = signal(0)

document.addEventListener('visibilitychange', () => {
  visible.value = !document.hidden
})

export const live: ReadonlySignal<boolean> = on
/** Pages are read again only then: a hidden tab costs nothing. */
export const isFollowing: ReadonlySignal<boolean> = computed(() => on.value && visible.value)
/** Grows with each refresh by hand: what reads it is read again. */
export const refreshes: ReadonlySignal<number> = turn

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
