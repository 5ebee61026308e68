<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!--
  Dublin Core to DIM: elements and terms, wherever they stand in the document; of an Atom entry its children only, with Atom's own
  title, author, summary, rights and dates. The table is DSpace's for SWORD. A term without a place in it stays a field of
  schema dcterms. What Atom says once more in its own words (the same text) is taken once; addresses of authors are not taken.
-->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:atom="http://www.w3.org/2005/Atom"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" exclude-result-prefixes="dc dcterms atom xsi">

  <xsl:variable name="fields" select="concat(' title=title. alternative=title.alternative creator=contributor.author contributor=contributor.',
    ' subject=subject. description=description. abstract=description.abstract tableOfContents=description.tableofcontents',
    ' provenance=description.provenance publisher=publisher. date=date. issued=date.issued available=date.available created=date.created',
    ' dateAccepted=date.accepted dateSubmitted=date.submitted dateCopyrighted=date.copyright modified=date.modified type=type.',
    ' format=format. extent=format.extent medium=format.medium identifier=identifier. bibliographicCitation=identifier.citation',
    ' source=source. language=language. relation=relation. isPartOf=relation.ispartof hasPart=relation.haspart',
    ' isVersionOf=relation.isversionof hasVersion=relation.hasversion isFormatOf=relation.isformatof hasFormat=relation.hasformat',
    ' isReferencedBy=relation.isreferencedby references=relation.references isReplacedBy=relation.isreplacedby',
    ' replaces=relation.replaces isRequiredBy=relation.isrequiredby requires=relation.requires conformsTo=relation.conformsto',
    ' coverage=coverage. spatial=coverage.spatial temporal=coverage.temporal rights=rights. accessRights=rights. rightsHolder=rights. ')"/>

  <xsl:template match="/">
    <dim:dim>
      <xsl:choose>
        <xsl:when test="atom:entry"><xsl:apply-templates select="atom:entry/*"/></xsl:when>
        <xsl:otherwise><xsl:apply-templates select="//dc:*[not(*)] | //dcterms:*[not(*)]"/></xsl:otherwise>
      </xsl:choose>
    </dim:dim>
  </xsl:template>

  <xsl:template match="*"/>

  <xsl:template match="dc:* | dcterms:*">
    <xsl:variable name="entry" select="concat(' ', local-name(), '=')"/>
    <xsl:variable name="field" select="substring-before(substring-after($fields, $entry), ' ')"/>
    <dim:field>
      <xsl:choose>
        <xsl:when test="$field != ''">
          <xsl:attribute name="mdschema">dc</xsl:attribute>
          <xsl:attribute name="element"><xsl:value-of select="substring-before($field, '.')"/></xsl:attribute>
          <xsl:attribute name="qualifier">
            <xsl:value-of select="substring-after($field, '.')"/>
            <xsl:if test="local-name() = 'identifier' and substring-after(@xsi:type, ':') = 'URI'">uri</xsl:if>
          </xsl:attribute>
        </xsl:when>
        <xsl:otherwise>
          <xsl:attribute name="mdschema">dcterms</xsl:attribute>
          <xsl:attribute name="element"><xsl:value-of select="local-name()"/></xsl:attribute>
        </xsl:otherwise>
      </xsl:choose>
      <xsl:if test="@xml:lang"><xsl:attribute name="lang"><xsl:value-of select="@xml:lang"/></xsl:attribute></xsl:if>
      <xsl:value-of select="."/>
    </dim:field>
  </xsl:template>

  <xsl:template match="atom:title[normalize-space() != '']">
    <xsl:if test="not(../dcterms:title[normalize-space() = normalize-space(current())])">
      <dim:field mdschema="dc" element="title"><xsl:value-of select="."/></dim:field>
    </xsl:if>
  </xsl:template>

  <xsl:template match="atom:author[atom:name]">
    <xsl:if test="not(../dcterms:creator[normalize-space() = normalize-space(current()/atom:name)])">
      <dim:field mdschema="dc" element="contributor" qualifier="author"><xsl:value-of select="atom:name"/></dim:field>
    </xsl:if>
  </xsl:template>

  <xsl:template match="atom:summary">
    <xsl:if test="not(../dcterms:abstract[normalize-space() = normalize-space(current())])">
      <dim:field mdschema="dc" element="description" qualifier="abstract"><xsl:value-of select="."/></dim:field>
    </xsl:if>
  </xsl:template>

  <xsl:template match="atom:rights">
    <xsl:if test="not(../dcterms:rights[normalize-space() = normalize-space(current())])">
      <dim:field mdschema="dc" element="rights"><xsl:value-of select="."/></dim:field>
    </xsl:if>
  </xsl:template>

  <xsl:template match="atom:published | atom:updated">
    <xsl:if test="not(preceding-sibling::atom:published[. = current()] | preceding-sibling::atom:updated[. = current()])">
      <dim:field mdschema="dc" element="date" qualifier="created"><xsl:value-of select="."/></dim:field>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
