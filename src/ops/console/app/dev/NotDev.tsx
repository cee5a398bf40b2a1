import { Empty } from '../parts/Empty.tsx'

/** For a link that somebody pasted. */
export function NotDev() {
  return (
    <Empty title="This console was not started by lineclear dev.">
      <code>lineclear dev FILE</code> runs your handlers on a local cloud, with this page beside
      them.
    </Empty>
  )
}
