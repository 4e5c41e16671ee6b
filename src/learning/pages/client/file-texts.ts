import type { Catalogue } from '#foundation/web/client/texts.ts'

/* Uploading files. */

const en = {
  picture: 'Upload a picture',
  captions: 'Upload captions (.vtt, .srt)',
  attachments: 'Upload files',
  attachments_hint: 'Up to 10 files of 25 MB each, handed in with your work.',
  your_files: 'Your files',
  links: 'Or links to files, one per line',
  uploading: 'Uploading {name} …',
  uploaded: '{name} uploaded.',
  remove: 'Remove {name}',
  removed: '{name} is removed.',
  too_large: '{name} is larger than {limit} MB.',
  too_many: 'At most {limit} files can be handed in at once.',
  drop: 'You can also drop files here.',
}
const de: typeof en = {
  picture: 'Bild hochladen',
  captions: 'Untertitel hochladen (.vtt, .srt)',
  attachments: 'Dateien hochladen',
  attachments_hint: 'Bis zu 10 Dateien von je 25 MB. Sie werden mit Ihrer Arbeit abgegeben.',
  your_files: 'Ihre Dateien',
  links: 'Oder Links zu Dateien, einer je Zeile',
  uploading: '{name} wird hochgeladen …',
  uploaded: '{name} ist hochgeladen.',
  remove: '{name} entfernen',
  removed: '{name} ist entfernt.',
  too_large: '{name} ist größer als {limit} MB.',
  too_many: 'Höchstens {limit} Dateien können auf einmal abgegeben werden.',
  drop: 'Dateien können auch hierher gezogen werden.',
}
const es: typeof en = {
  picture: 'Subir una imagen',
  captions: 'Subir subtítulos (.vtt, .srt)',
  attachments: 'Subir archivos',
  attachments_hint: 'Hasta 10 archivos de 25 MB cada uno. Se entregan con su trabajo.',
  your_files: 'Sus archivos',
  links: 'O enlaces a archivos, uno por línea',
  uploading: 'Subiendo {name} …',
  uploaded: '{name} está subido.',
  remove: 'Quitar {name}',
  removed: '{name} se ha quitado.',
  too_large: '{name} ocupa más de {limit} MB.',
  too_many: 'Se pueden entregar como máximo {limit} archivos a la vez.',
  drop: 'También puede arrastrar archivos hasta aquí.',
}

export const FILE_TEXTS: Catalogue<keyof typeof en> = { en, de, es }
