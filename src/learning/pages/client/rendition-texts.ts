import type { Catalogue } from '#foundation/web/client/texts.ts'

const en = {
  hint: 'The same video in other resolutions. Learners choose by height; the default is the video URL.',
  one: 'rendition',
  add: 'Add a rendition',
  url: 'File URL',
  height: 'Height in pixels',
}
type RenditionText = keyof typeof en

const de: Catalogue<RenditionText>['de'] = {
  hint: 'Dasselbe Video in anderen Auflösungen. Lernende wählen nach der Höhe; ohne Wahl gilt die URL des Videos.',
  one: 'Fassung',
  add: 'Fassung hinzufügen',
  url: 'URL der Datei',
  height: 'Höhe in Pixeln',
}

const es: Catalogue<RenditionText>['es'] = {
  hint: 'El mismo vídeo en otras resoluciones. Los estudiantes eligen por la altura; si no, vale la URL del vídeo.',
  one: 'versión',
  add: 'Añadir una versión',
  url: 'URL del archivo',
  height: 'Altura en píxeles',
}

export const RENDITION_TEXTS: Catalogue<RenditionText> = { en, de, es }
