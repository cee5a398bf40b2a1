import { Empty } from '../parts/Empty.tsx'

/** A pasted link can lead to a page that this console does not have. */
export function NotDev() {
  return (
    <Empty title="This console was not started by lineclear dev.">
      <code>lineclear dev FILE</code> runs your handlers on a local cloud, with this page beside
      them.
    </Empty>
  )
}
