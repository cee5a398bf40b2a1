import type { ComponentChildren } from 'preact'
import { valueOf } from '../address.ts'
import { address, setQuery } from '../route.ts'
import { plainText } from './safeText.ts'

interface FormProps {
  readonly look?: string
  readonly submit: () => void
  readonly children: ComponentChildren
}

export function Form({ look = 'form', submit, children }: FormProps) {
  return (
    <form
      class={look}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {children}
    </form>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly change: (value: string) => void
  readonly hint?: string | undefined
  /** A value that a machine reads. */
  readonly code?: boolean
}

export function Field({ label, value, change, hint, code = false }: FieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        class={code ? 'code' : ''}
        value={value}
        placeholder={hint}
        autocomplete="off"
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    </label>
  )
}

type Options = readonly (readonly [value: string, title: string])[]

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly change: (value: string) => void
  readonly options: Options
}

export function Select({ label, value, change, options }: SelectProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    >
      {options.map(([each, title]) => (
        <option key={each} value={each}>
          {title}
        </option>
      ))}
    </select>
  )
}

interface CheckProps {
  readonly label: string
  readonly checked: boolean
  readonly change: (checked: boolean) => void
  readonly help?: string
}

export function Checkbox({ label, checked, change, help }: CheckProps) {
  return (
    <label class="check" title={help}>
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  )
}

interface FilterProps {
  /** The parameter of the URL. */
  readonly name: string
  readonly label: string
}

/** Changes a filter. Entry, choice and page are dropped, because they mean nothing in another list. */
function setFilter(name: string, value: string): void {
  setQuery({ [name]: value.trim(), after: undefined, chosen: undefined, entry: undefined })
}

interface TextFilterProps extends FilterProps {
  readonly hint: string
  readonly look?: 'short' | 'wide'
  readonly list?: readonly string[]
}

/** A filter of a page. It counts once it is entered, since each look costs requests. */
export function TextFilter({ name, label, hint, look, list }: TextFilterProps) {
  return (
    <>
      <input
        type="search"
        class={look}
        aria-label={label}
        placeholder={hint}
        list={list && `${name}-list`}
        value={valueOf(address.value.query[name])}
        onChange={({ currentTarget: { value } }) => setFilter(name, value)}
      />
      {list !== undefined && (
        <datalist id={`${name}-list`}>
          {list.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  )
}

export function ChoiceFilter({
  name,
  label,
  options,
}: FilterProps & { readonly options: Options }) {
  const value = valueOf(address.value.query[name])
  const isOffered = options.some(([each]) => each === value)
  return (
    <Select
      label={label}
      value={value}
      change={(next) => setFilter(name, next)}
      options={isOffered ? options : [...options, [value, plainText(value)]]}
    />
  )
}

export function TickFilter({ name, label }: FilterProps) {
  return (
    <Checkbox
      label={label}
      checked={valueOf(address.value.query[name]) === '1'}
      change={(checked) => setFilter(name, checked ? '1' : '')}
    />
  )
}
