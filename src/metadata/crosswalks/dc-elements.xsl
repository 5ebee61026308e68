<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!--
  Included by others: what a dim:field is called in DCMI Terms, and of which of the 15 elements that term is a refinement.
  $terms:    element.qualifier of schema dc -> term; without an entry, the element itself. Provenance has none: it never leaves.
  $refined:  term -> element, for the terms that are not an element themselves.
-->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" exclude-result-prefixes="dim">

  <xsl:variable name="elements" select="' title creator contributor subject description publisher date type format identifier source language relation coverage rights '"/>

  <xsl:variable name="terms" select="concat(' contributor.author=creator title.alternative=alternative',
    ' description.abstract=abstract description.tableofcontents=tableOfContents description.provenance= ',
    ' date.issued=issued date.available=available date.accessioned=dateAccepted date.accepted=dateAccepted date.created=created',
    ' date.copyright=dateCopyrighted date.submitted=dateSubmitted date.modified=modified date.updated=modified',
    ' format.extent=extent format.medium=medium identifier.citation=bibliographicCitation rights.holder=rightsHolder',
    ' rights.accessrights=accessRights rights.license=license coverage.spatial=spatial coverage.temporal=temporal',
    ' relation.ispartof=isPartOf relation.ispartofseries=isPartOf relation.haspart=hasPart relation.isversionof=isVersionOf',
    ' relation.hasversion=hasVersion relation.isformatof=isFormatOf relation.hasformat=hasFormat',
    ' relation.isreferencedby=isReferencedBy relation.references=references relation.isreplacedby=isReplacedBy',
    ' relation.replaces=replaces relation.isrequiredby=isRequiredBy relation.requires=requires relation.conformsto=conformsTo ')"/>

  <xsl:variable name="refined" select="concat(' alternative=title abstract=description tableOfContents=description issued=date',
    ' available=date dateAccepted=date created=date dateCopyrighted=date dateSubmitted=date modified=date valid=date',
    ' extent=format medium=format bibliographicCitation=identifier rightsHolder=rights accessRights=rights license=rights',
    ' spatial=coverage temporal=coverage isPartOf=relation hasPart=relation isVersionOf=relation hasVersion=relation',
    ' isFormatOf=relation hasFormat=relation isReferencedBy=relation references=relation isReplacedBy=relation',
    ' replaces=relation isRequiredBy=relation requires=relation conformsTo=relation audience= educationLevel= mediator=',
    ' accrualMethod= accrualPeriodicity= accrualPolicy= instructionalMethod= ')"/>

  <!-- Of a dim:field: its term, or nothing. -->
  <xsl:template name="term">
    <xsl:variable name="entry" select="concat(' ', @element, '.', @qualifier, '=')"/>
    <xsl:choose>
      <xsl:when test="@mdschema = 'dcterms' and not(@qualifier)">
        <xsl:if test="contains($elements, concat(' ', @element, ' ')) or contains($refined, concat(' ', @element, '='))">
          <xsl:value-of select="@element"/>
        </xsl:if>
      </xsl:when>
      <xsl:when test="@mdschema != 'dc'"/>
      <xsl:when test="contains($terms, $entry)">
        <xsl:value-of select="substring-before(substring-after($terms, $entry), ' ')"/>
      </xsl:when>
      <xsl:when test="contains($elements, concat(' ', @element, ' '))"><xsl:value-of select="@element"/></xsl:when>
    </xsl:choose>
  </xsl:template>

  <!-- A dim:field as one of the 15 elements. -->
  <xsl:template match="dim:field" mode="dc">
    <xsl:variable name="term"><xsl:call-template name="term"/></xsl:variable>
    <xsl:variable name="entry" select="concat(' ', $term, '=')"/>
    <xsl:variable name="element">
      <xsl:choose>
        <xsl:when test="contains($refined, $entry)"><xsl:value-of select="substring-before(substring-after($refined, $entry), ' ')"/></xsl:when>
        <xsl:otherwise><xsl:value-of select="$term"/></xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:if test="$element != ''">
      <xsl:element name="dc:{$element}" namespace="http://purl.org/dc/elements/1.1/"><xsl:value-of select="."/></xsl:element>
    </xsl:if>
  </xsl:template>

  <!-- A dim:field as a term. -->
  <xsl:template match="dim:field" mode="dcterms">
    <xsl:variable name="term"><xsl:call-template name="term"/></xsl:variable>
    <xsl:if test="$term != ''">
      <xsl:element name="dcterms:{$term}" namespace="http://purl.org/dc/terms/"><xsl:value-of select="."/></xsl:element>
    </xsl:if>
  </xsl:template>

  <!-- A dim:field as a term where it refines an element, else as that element. -->
  <xsl:template match="dim:field" mode="qdc">
    <xsl:variable name="term"><xsl:call-template name="term"/></xsl:variable>
    <xsl:choose>
      <xsl:when test="$term = ''"/>
      <xsl:when test="contains($elements, concat(' ', $term, ' '))">
        <xsl:element name="dc:{$term}" namespace="http://purl.org/dc/elements/1.1/"><xsl:value-of select="."/></xsl:element>
      </xsl:when>
      <xsl:otherwise>
        <xsl:element name="dcterms:{$term}" namespace="http://purl.org/dc/terms/"><xsl:value-of select="."/></xsl:element>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- The item's page, where no field names one: harvesters want a link. -->
  <xsl:param name="url"/>
  <xsl:template match="dim:dim" mode="link">
    <xsl:if test="$url != '' and not(dim:field[@mdschema = 'dc'][@element = 'identifier'][@qualifier = 'uri'])">
      <dc:identifier><xsl:value-of select="$url"/></dc:identifier>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
