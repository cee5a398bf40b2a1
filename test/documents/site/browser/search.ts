import type { Section } from '../sections.ts'
import { finder, type Found } from './finder.ts'

type Find = (query: string) => readonly Found[]

declare global {
  interface Window {
    /** `sections.js` sets it: a page that was opened from a file can load a script, and fetch nothing. */
    sections?: readonly Section[]
  }
}

const [form] = document.forms
const input = form?.querySelector('input')
const list = form?.querySelector('ol')
const status = form?.querySelector('p')
const { src } = document.currentScript as HTMLScriptElement
if (form && input && list && status) start(form, input, list, status)

function start(
  form: HTMLFormElement,
  input: HTMLInputElement,
  list: HTMLOListElement,
  status: HTMLParagraphElement,
): void {
  let finding: Promise<Find> | undefined
  const ready = (): Promise<Find> => (finding ??= load())

  async function show(): Promise<void> {
    const find = await ready()
    // While the sections were loaded, more may have been typed.
    const items = find(input.value).map(itemOf)
    const isEmpty = input.value.trim() === ''
    status.textContent = isEmpty ? '' : `${items.length || 'Nothing'} found`
    list.replaceChildren(...(items.length === 0 ? [elementOf('li', 'Nothing found')] : items))
    list.hidden = isEmpty
  }

  function hide(): void {
    list.hidden = true
    status.textContent = ''
  }

  form.hidden = false
  input.addEventListener('focus', () => void ready())
  input.addEventListener('input', () => void show())
  list.addEventListener('click', hide)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void show().then(() => list.querySelector('a')?.click())
  })
  form.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') {
      input.focus()
      hide()
    } else if (step !== undefined) {
      event.preventDefault()
      if (list.hidden) return void show()
      const stops = [input, ...list.querySelectorAll('a')]
      const at = stops.findIndex((stop) => stop === document.activeElement)
      stops.at((at + step) % stops.length)?.focus()
    }
  })
  for (const leaving of ['pointerdown', 'focusin']) {
    document.addEventListener(leaving, ({ target }) => {
      if (!form.contains(target as Node)) hide()
    })
  }
}

async function load(): Promise<Find> {
  const script = document.createElement('script')
  script.src = new URL('sections.js', src).href
  const loaded = new Promise((done, failed) => {
    script.addEventListener('load', done)
    script.addEventListener('error', failed)
  })
  document.head.append(script)
  await loaded
  return finder(window.sections ?? [])
}

function itemOf({ address, name, page, under, excerpt }: Found): HTMLLIElement {
  const link = elementOf('a', name)
  link.href = new URL(address, src).href
  const path = under === undefined || under === page ? page : `${page} › ${under}`
  const item = document.createElement('li')
  item.append(link, elementOf('small', path), elementOf('p', excerpt))
  return item
}

function elementOf<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  text: string,
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  element.textContent = text
  return element
}
