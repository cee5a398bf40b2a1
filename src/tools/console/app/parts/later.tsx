import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Empty, Skeleton } from './standIns.tsx'

/** A view whose code is loaded when it is first shown. */
export function later(load: () => Promise<ComponentType>): ComponentType {
  const loaded = signal<ComponentType | 'failed' | undefined>(undefined)
  const begin = async (): Promise<void> => {
    loaded.value = undefined
    loaded.value = await load().catch(() => 'failed' as const)
  }
  return function Later() {
    useEffect(() => {
      if (typeof loaded.peek() !== 'function') void begin()
    }, [])
    const View = loaded.value
    if (View === undefined) return <Skeleton />
    if (View !== 'failed') return <View />
    return (
      <Empty title="The rest of this page could not be loaded.">
        <p>The server may have ended, or is of another version. Load the page again.</p>
      </Empty>
    )
  }
}
