import { useEffect, useRef, useState } from 'preact/hooks'

/** The width of an element, as it changes, pixels. 0: it is not shown yet. */
export function useWidth<Shown extends HTMLElement>(): [{ current: Shown | null }, number] {
  const box = useRef<Shown>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const { current: element } = box
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [box, width]
}
