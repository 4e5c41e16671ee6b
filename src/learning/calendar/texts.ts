import type { Catalogue } from '#foundation/web/client/texts.ts'

const en = {
  name: 'Lyceum: what is due',
  due: 'Due: {title}',
  opens: 'Test opens: {title}',
  closes: 'Test closes: {title}',
  release: 'New episode in {title}',
}
const de: typeof en = {
  name: 'Lyceum: Termine',
  due: 'Abgabe: {title}',
  opens: 'Test beginnt: {title}',
  closes: 'Test endet: {title}',
  release: 'Neue Folge in {title}',
}
const es: typeof en = {
  name: 'Lyceum: fechas',
  due: 'Entrega: {title}',
  opens: 'Se abre la prueba: {title}',
  closes: 'Se cierra la prueba: {title}',
  release: 'Nuevo episodio en {title}',
}
export const CALENDAR_TEXTS: Catalogue<keyof typeof en> = { en, de, es }
