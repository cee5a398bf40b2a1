import type { ComponentType } from 'preact'

/** A page of the console. Its state is the query of the URL. */
export interface Page {
  /** @example '/tasks' */
  readonly path: string
  /** For the navigation, the heading and the title of the tab. */
  readonly title: string
  readonly View: ComponentType
  /** `unlisted`: it is about one thing, and links lead to it. `dev`: only `lineclear dev` has it. Default: listed. */
  readonly listed?: 'unlisted' | 'dev'
}
